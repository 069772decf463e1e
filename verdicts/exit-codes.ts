/** The one table of exit codes (`docs/verdicts.md`). */
export const exitCodes = {
  conformant: 0,
  'conformant with known failures': 0,
  'not conformant': 1,
  'no failures': 0,
  failures: 1,
  usage: 2,
  incomplete: 3,
  broken: 4,
  unreachable: 5,
  interrupted: 130,
} as const

export type RunVerdict = Exclude<keyof typeof exitCodes, 'usage'> | 'refused'
