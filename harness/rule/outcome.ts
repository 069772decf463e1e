/** A violated clause as data: reports make sentences of it, the proof compares `clause` and `observed` for equality. */
export interface Finding {
  readonly clause: string
  readonly expected: string
  readonly observed: string
  /** Number of the exchange that shows it; null without a single one. */
  readonly exchange: number | null
}

/** `clause: expected A; observed B`. */
export function findingText(finding: Finding): string {
  return `${finding.clause}: ${contrastText(finding)}`
}

/** `expected A; observed B`. */
export function contrastText({ expected, observed }: Pick<Finding, 'expected' | 'observed'>): string {
  return `expected ${expected}; observed ${observed}`
}

const notJudged = 'not judged: '

/** The reading of a branch that the target gave no chance to judge. */
export function notJudgedText(reason: string): string {
  return notJudged + reason
}

/** True for such a reading. */
export function isNotJudged(reading: string): boolean {
  return reading.startsWith(notJudged)
}

/** The one error that means that the target violated a rule. Anything else thrown by a rule is a fault of the harness. */
export class ClauseViolated extends Error {
  override readonly name = 'ClauseViolated'
  readonly finding: Finding
  constructor(finding: Finding) {
    super(findingText(finding))
    this.finding = finding
  }
}

/** A sound verdict was not possible. */
export class Inconclusive extends Error {
  override readonly name = 'Inconclusive'
}

/** The same, because a request had no complete response. */
export class Unanswered extends Inconclusive {
  /** Number of the exchange; null if there is none. */
  readonly exchange: number | null
  /** True if a response was waited for as long as the tolerance `answer`. */
  readonly isLate: boolean
  constructor(message: string, exchange: number | null = null, isLate = false) {
    super(message)
    this.exchange = exchange
    this.isLate = isLate
  }
}

/** The same again and again, each time on a new connection, while other requests had responses. */
export class Dropped extends Unanswered {}

/** A response, or what tells that the target drops the request. */
export function orDropped<T>(response: Promise<T>): Promise<T | Dropped> {
  return response.catch((error: unknown) => {
    if (error instanceof Dropped) return error
    throw error
  })
}

/** A response, or null without a complete one. */
export function unlessUnanswered<T>(response: Promise<T>): Promise<T | null> {
  return response.catch((error: unknown) => {
    if (error instanceof Unanswered) return null
    throw error
  })
}

/** Does something that can be done over, such as making a pod, once more if a request of it had no complete response. */
export async function orAgain<T>(work: () => Promise<T>, again = work): Promise<T> {
  return (await unlessUnanswered(work())) ?? again()
}

/** A response; without a complete one, the reason begins with `what`. */
export function responseTo<T>(what: string, response: Promise<T>): Promise<T> {
  return response.catch((error: unknown) => {
    throw error instanceof Unanswered ? new Unanswered(`${what} had ${error.message}`) : error
  })
}

/** Something that the rule builds on (a fixture, another rule) failed. */
export class Blocked extends Error {
  override readonly name = 'Blocked'
  readonly by: string
  constructor(by: string, reason: string) {
    super(reason)
    this.by = by
  }
}

/** A result, or why another rule blocks it. */
export function orBlocked<T>(result: Promise<T>): Promise<T | Blocked> {
  return result.catch((error: unknown) => {
    if (error instanceof Blocked) return error
    throw error
  })
}

/**
 * Something that rules build on does not work for this one. It is blocked `by` the rule that judges that, or by the rule
 * `later` that judges whether it goes on working: the former's verdict decides.
 */
export class Blamed extends Blocked {
  readonly later: string | null
  constructor(by: string, later: string | null, reason: string) {
    super(by, reason)
    this.later = later
  }
}

/** The target file neither gives nor declares absent a need of the rule. */
export class Unclaimed extends Error {
  override readonly name = 'Unclaimed'
}

/** The target file declares a need of the rule absent. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable'
}

/** A budget left the rule out, as announced, or ran out before the rule was done. */
export class Unverified extends Error {
  override readonly name = 'Unverified'
}

/** A rule waits for an event that can never come: a fault of the harness. */
export class Stalled extends Error {
  override readonly name = 'Stalled'
}
