import type { RuleRow } from '../generated/rules.ts'
import { planeOfRule } from '../harness/planes/index.ts'
import type { LoadFacts } from '../harness/record/events.ts'
import type { LoadRule } from '../harness/rule/load-rules.ts'
import type { Finding } from '../harness/rule/outcome.ts'
import { type Judgement, verdictOf } from '../harness/run/judge.ts'
import type { Verdict } from '../verdicts/verdicts.ts'
import { rulingOf } from './analyse/analyse.ts'
import { milliseconds } from './analyse/verdict.ts'
import { rowsOf } from './claims.ts'
import type { Conducted, Judged } from './conduct.ts'
import type { Plan } from './plan/types.ts'
import { SCALING_RULE } from './queue/scaling.ts'

/** Said of the rule of workers if they raised every limit, so that none showed that a higher base stays. */
const baseUnjudged = { 'a higher base': 'not judged: the workers raised every limit beyond its base' }

/**
 * The judgement of each rule of a load, in the order of the ledger. The clauses of a rule are the shapes that were
 * driven, its exchanges the requests of its plans.
 */
export function judgementsOf({ rules, k6, windowScale, isSmoke, mixed }: LoadFacts, conducted: Conducted): Judgement[] {
  const readings = { k6, ...(windowScale === 1 ? {} : { 'window scale': String(windowScale) }) }

  return rowsOf(rules).map((row): Judgement => {
    const steps = conducted.judged.filter(({ verdicts }) => verdicts.some(({ rule }) => rule === row.id))
    const { count, firstMs, lastMs } = extentOf(steps)
    const base = {
      rule: row.id,
      by: null,
      findings: [],
      readings: {},
      variation: {},
      clauses: [...new Set(steps.map(({ step }) => step.plan.shape))].sort(),
      exchanges: count,
      startedMs: count === 0 ? null : Math.round(firstMs),
      endedMs: count === 0 ? null : Math.round(lastMs),
    }
    const ruled = (verdict: Verdict, reason: string | null = null) => ({ ...base, verdict, reason })
    const missing = conducted.leftOut.get(row.id)
    if (missing !== undefined) return { ...base, ...verdictOf(missing, row, 0) }
    const undecided = conducted.undecided.get(row.id as LoadRule)
    if (undecided !== undefined) return ruled(undecided.verdict, undecided.reason)
    const brokenOff = conducted.brokenOff.get(planeOfRule(row.id).name)
    const found = rulingOf(steps.flatMap(({ verdicts }) => verdicts.filter(({ rule }) => rule === row.id)))
    if (brokenOff?.verdict === 'broken') return ruled('broken', brokenOff.reason)
    // A proof stands, whatever became of the rest; a pass needs all of it.
    if (found?.verdict === 'failed') {
      return { ...ruled(row.level === 'must' ? 'failed' : 'advice'), findings: findingsOf(row, steps) }
    }
    if (brokenOff !== undefined) return ruled('unverified', `the load was broken off: ${brokenOff.reason}`)
    if (mixed !== undefined) return ruled('unverified', 'a mixed load judges no rule')
    if (isSmoke) return ruled('unverified', 'a smoke judges nothing')
    if (found === null) return ruled('inconclusive', 'no plan of this load judges it')
    if (found.verdict === 'inconclusive') return ruled('inconclusive', found.sentence)
    const isInPart = row.id === SCALING_RULE && !base.clauses.includes('kept-under')
    return { ...ruled('passed'), readings: isInPart ? { ...readings, ...baseUnjudged } : readings }
  })
}

function extentOf(steps: readonly Judged[]) {
  let [count, firstMs, lastMs] = [0, Infinity, -Infinity]
  for (const { points } of steps) {
    count += points.length
    for (const { sentMs, receivedMs } of points) {
      firstMs = Math.min(firstMs, sentMs)
      lastMs = Math.max(lastMs, receivedMs)
    }
  }
  return { count, firstMs, lastMs }
}

function findingsOf(row: RuleRow, steps: readonly Judged[]): Finding[] {
  return steps.flatMap(({ step, verdicts }) =>
    verdicts
      .filter(({ rule, verdict }) => rule === row.id && verdict === 'failed')
      .map(({ shape, sentence }) => {
        return { clause: shape, expected: limitText(step.plan, row), observed: sentence, exchange: null }
      }),
  )
}

/** The limit that a plan holds the target to, in numbers; the sentence of the rule if that is not a number. */
function limitText(plan: Plan, { id, says }: RuleRow): string {
  if (plan.plane !== 'queue') return says
  const { operation, requests, windowMs, concurrent } = plan.limit
  const rate = `${requests} requests of ${operation} each ${milliseconds(windowMs)}`
  if (id === `limits.queue.concurrent-${operation}` && concurrent !== null) {
    return `${concurrent} requests of ${operation} at once are taken, and beyond that 429`
  }
  if (id !== `limits.queue.${operation}`) return says
  return plan.shape === 'under' ? `no 429 below ${rate}` : `429 beyond ${rate}`
}
