import type { RuleRow } from '../../generated/rules.ts'
import type { Target } from '../../target/types.ts'
import { missingNeed, needsOf } from '../claims/claims.ts'
import { allNeeds } from '../claims/needs.ts'
import { isOfTrial } from '../client/connections.ts'
import { pluralize } from '../common/pluralize.ts'
import { type Exchange, unrecorded } from '../exchange/exchange.ts'
import { planeOfOperation, planeOfRule } from '../planes/index.ts'
import type { Plane } from '../planes/plane.ts'
import { neededBy } from '../rule/invariant-needs.ts'
import { Blocked, type Finding, Inconclusive, Unclaimed, Unverified } from '../rule/outcome.ts'
import type { Invariant, InvariantStep } from '../rule/registry.ts'
import { type Judgement, verdictOf } from './judge.ts'

/** Most findings of one rule that are kept; the rest repeat them. */
const findingsKept = 20

type Tally = ReturnType<typeof emptyTally>

/** Takes a request that is not in the record as an exchange, for those of `rules` that are invariants of the run. */
export type TakeUnrecorded = (exchange: Exchange, rules: ReadonlySet<string>) => void

interface FoldOptions {
  /** True for exchanges of others, which need not exercise every rule; default: false. */
  readonly isTraffic?: boolean
}

/** Folds every exchange of a run, in the order in which they ended, into the invariants. */
export function foldInvariants(rules: readonly Invariant[], target: Target, { isTraffic = false }: FoldOptions = {}) {
  const tallies = rules.map(emptyTally)
  const ofConnections = tallies.filter(({ rule }) => rule.ofConnections === true)
  const ofPlanes = Map.groupBy(tallies, ({ plane }) => plane)
  for (const [plane, own] of ofPlanes)
    ofPlanes.set(
      plane,
      own.filter((tally) => !ofConnections.includes(tally)),
    )
  const takeAll = (exchange: Exchange, canJudge: (rule: string) => boolean) => {
    const isOfOtherRules = exchange.isOutOfStep !== true && !isOfTrial(exchange)
    const ofPlane = isOfOtherRules ? (ofPlanes.get(planeOfOperation(exchange.operation)) ?? []) : []
    for (const tally of [...ofConnections, ...ofPlane])
      if (tally.fault === undefined && canJudge(tally.rule.id)) take(tally, exchange, target)
  }
  return {
    exchange: (exchange: Exchange): void => takeAll(exchange, () => true),
    unrecorded: ((exchange, rules) => takeAll(exchange, (rule) => rules.has(rule))) satisfies TakeUnrecorded,
    /** `scenarios`: the judgements of those that made the exchanges, or were kept from that. */
    judge(rowOf: (id: string) => RuleRow, scenarios: readonly Judgement[] = []): Judgement[] {
      const onPlane = ({ name }: Plane) => scenarios.filter(({ rule }) => needsOf(rowOf(rule)).includes(name))
      return tallies.map((tally) => {
        // Traffic may go on after its record ends.
        if (!isTraffic) for (const finding of tally.rule.atEnd?.(tally.state) ?? []) note(tally, finding)
        const row = rowOf(tally.rule.id)
        return judgeTally(tally, row, isTraffic ? unseen(tally) : unmetBy(tally, row, target, onPlane(tally.plane)))
      })
    },
  }
}

function emptyTally(rule: Invariant) {
  return {
    rule,
    plane: planeOfRule(rule.id),
    state: rule.initial,
    /** Responses that it could judge. */
    responses: 0,
    exchanges: 0,
    startedMs: null as number | null,
    endedMs: null as number | null,
    fault: undefined as unknown,
    clauses: new Set<string>(),
    findings: new Map<string, Finding>(),
    readings: {} as Record<string, string>,
  }
}

function take(tally: Tally, exchange: Exchange, target: Target): void {
  if (exchange.response !== null) tally.responses++
  try {
    const shown = exchange.lacksBody ? withoutBodies(exchange) : exchange
    const { state, exercised, findings, readings = {} } = tally.rule.reduce(tally.state, shown, target)
    tally.state = state
    if (exercised.length === 0 && findings.length === 0) return
    tally.exchanges++
    Object.assign(tally.readings, readings)
    tally.startedMs ??= Math.round(exchange.sent.target)
    tally.endedMs = Math.round(exchange.received.target)
    for (const clause of exercised) tally.clauses.add(clause)
    for (const finding of findings) note(tally, finding, exchange.n)
  } catch (error) {
    // The body may have shown anything, so nothing is known of what was before it.
    if (error === bodyMissing) tally.state = tally.rule.initial
    else tally.fault = error
  }
}

/** Keeps a finding; `exchange`: the one that shows it, unless the finding names another. */
function note(tally: Tally, finding: InvariantStep<unknown>['findings'][number], exchange = unrecorded): void {
  const key = `${finding.clause}\n${finding.expected}\n${finding.observed}`
  if (tally.findings.size >= findingsKept || tally.findings.has(key)) return
  const shown = finding.exchange ?? exchange
  tally.findings.set(key, { ...finding, exchange: shown === unrecorded ? null : shown })
}

const bodyMissing = new Error('the body of this exchange is not known')

/** The same exchange, but reading a body throws `bodyMissing`. */
function withoutBodies(exchange: Exchange): Exchange {
  const hide = <Message extends object>(message: Message) => ({
    ...message,
    get body(): Uint8Array {
      throw bodyMissing
    },
  })
  const { request, response } = exchange
  return { ...exchange, request: hide(request), response: response === null ? null : hide(response) }
}

function judgeTally(tally: Tally, row: RuleRow, unmet: Error | null): Judgement {
  const { exchanges, startedMs, endedMs, readings } = tally
  const facts = {
    rule: row.id,
    readings,
    variation: {},
    clauses: [...tally.clauses].sort(),
    exchanges,
    startedMs,
    endedMs,
  }
  // A reducer that broke did not see the rest, so its findings prove nothing.
  if (tally.findings.size > 0 && tally.fault === undefined) {
    const verdict = row.level === 'must' ? 'failed' : 'advice'
    return { ...facts, verdict, reason: null, by: null, findings: [...tally.findings.values()] }
  }
  return { ...facts, ...verdictOf(tally.fault ?? unmet ?? undefined, row, exchanges) }
}

/** Why a rule was not exercised: the target does not offer something, or other rules were not finished. Else null. */
function unmetBy(tally: Tally, row: RuleRow, target: Target, scenarios: readonly Judgement[]): Error | null {
  const isUnseen = tally.exchanges === 0
  const missing = isUnseen || tally.rule.ofConnections === true ? missingNeed(target, row) : null
  return missing ?? (isUnseen ? unexercised(tally, row, scenarios) : null)
}

/**
 * Why nothing exercised a rule. A rule blocks it only if it blocked most of the rules of its plane; otherwise others could have
 * shown what it needs.
 */
function unexercised(tally: Tally, row: RuleRow, scenarios: readonly Judgement[]): Unverified | Blocked | Inconclusive {
  const unverified = scenarios.filter(({ verdict }) => verdict === 'unverified').length
  if (unverified > 0) {
    const were = unverified === 1 ? 'was' : 'were'
    const what = `${pluralize(unverified, 'rule')} of its plane ${were} left out or not done`
    return new Unverified(`no exchange exercised this rule; ${what}`)
  }
  const absent = needsOf(row).filter((need) => allNeeds()[need]?.line === null)
  const advice = absent.map((need) => `; if the target does not have it, add absent: {${need}: REASON}`)
  const reason = `no exchange exercised this rule: ${lackOf(tally)}${advice.join('')}`
  const judged = scenarios.filter(({ verdict }) => verdict !== 'unclaimed' && verdict !== 'not-applicable')
  const blocked = Map.groupBy(judged, ({ by }) => by)
  const cause = [...blocked].find(([, { length }]) => length * 2 > judged.length)
  if (cause?.[0] == null) return new Inconclusive(reason)
  return new Blocked(cause[0], `${reason}; ${pluralize(cause[1].length, 'rule')} of its plane ended so`)
}

/** The beginning of the reason of each rule that the traffic of others does not exercise; the rest, after a colon, is about the rule. */
export const notInTraffic = 'the traffic does not exercise this rule'

/** Traffic of others claims nothing, so a rule that it does not exercise is not missed. */
function unseen(tally: Tally): Unclaimed | null {
  return tally.exchanges > 0 ? null : new Unclaimed(`${notInTraffic}: ${lackOf(tally)}`)
}

function lackOf({ rule, responses }: Tally): string {
  return responses === 0 ? 'no request of its plane had a response' : `no response showed ${neededBy(rule.id)}`
}
