/** The closed set of verdicts; `docs/verdicts.md` says what each one means for an exit code. */
export type Verdict =
  | 'passed'
  | 'observed'
  | 'failed'
  | 'advice'
  | 'inconclusive'
  | 'blocked'
  | 'unverified'
  | 'unclaimed'
  | 'not-applicable'
  | 'broken'

/** What was wrong, as data: reports make sentences of it, the proof compares `clause` and `observed` for equality. */
export interface Finding {
  readonly clause: string
  readonly expected: string
  readonly observed: string
  /** Number of the exchange that shows it; null where no single one does. */
  readonly exchange: number | null
}

/** The one error that means "the target broke this rule". Anything else thrown by a rule is a fault of the harness. */
export class RuleBroken extends Error {
  override readonly name = 'RuleBroken'
  readonly finding: Finding
  constructor(finding: Finding) {
    super(`${finding.clause}: expected ${finding.expected}; observed ${finding.observed}`)
    this.finding = finding
  }
}

/** The condition under which a verdict would be sound was not met. */
export class Inconclusive extends Error {
  override readonly name = 'Inconclusive'
}

/** The same, for a request had no whole answer. */
export class Unanswered extends Inconclusive {}

/** An answer, or null where no whole one came. */
export function unlessUnanswered<T>(answer: Promise<T>): Promise<T | null> {
  return answer.catch((error: unknown) => {
    if (error instanceof Unanswered) return null
    throw error
  })
}

/** An answer; where no whole one came, the reason begins with what it was to. */
export function answerTo<T>(what: string, answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    throw error instanceof Unanswered ? new Unanswered(`${what} had ${error.message}`) : error
  })
}

/** Something that the rule builds on (a fixture, another rule) did not come about. */
export class Blocked extends Error {
  override readonly name = 'Blocked'
  readonly by: string
  constructor(by: string, reason: string) {
    super(reason)
    this.by = by
  }
}

/** The target file neither gives nor declares absent something that the rule needs. */
export class Unclaimed extends Error {
  override readonly name = 'Unclaimed'
}

/** The target file declares absent something that the rule needs. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable'
}

/** A budget left the rule out, named beforehand, or ran out before the rule was done. */
export class Unverified extends Error {
  override readonly name = 'Unverified'
}

/** A rule waits for something that nothing can bring: a fault of the harness. */
export class Stalled extends Error {
  override readonly name = 'Stalled'
}
