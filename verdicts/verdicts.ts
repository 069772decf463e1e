/** All verdicts, in the order in which reports list them; `docs/verdicts.md` says what each one means for an exit code. */
export const verdictOrder = [
  'failed',
  'broken',
  'advice',
  'inconclusive',
  'blocked',
  'unverified',
  'unclaimed',
  'not-applicable',
  'observed',
  'passed',
] as const

export type Verdict = (typeof verdictOrder)[number]
