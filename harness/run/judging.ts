import type { RuleRow } from '../../generated/rules.ts'
import { missingNeed } from '../claims/claims.ts'
import type { Actor, RunClock } from '../clock/types.ts'
import { createReserve, noReserve, type Reserve } from '../plan/reserve.ts'
import { createTurns, occupancyOf, resourcesOf, type Turn } from '../plan/turns.ts'
import { fixturesOf, type SharedFixtures } from '../planes/fixtures.ts'
import type { RunServices } from '../planes/owner.ts'
import type { Recorder } from '../record/recorder.ts'
import type { Context } from '../rule/context.ts'
import { ClauseViolated } from '../rule/outcome.ts'
import type { Scenario } from '../rule/registry.ts'
import type { Deal } from '../variation/deal.ts'
import type { Values } from '../variation/dimensions.ts'
import { createVariation, type Variation } from '../variation/variation.ts'
import { inconclusiveIfDisturbed } from './alive.ts'
import type { Cut, Cuts } from './cuts.ts'
import type { Foundations } from './foundations.ts'
import { type Judgement, recordJudgement, verdictOf } from './judge.ts'
import type { Knowledge } from './knowledge.ts'
import { createContext, createOwner } from './owner.ts'
import { removeLeftovers } from './removal.ts'

interface JudgingOptions {
  readonly services: RunServices
  readonly sharedFixtures: SharedFixtures
  readonly clock: RunClock
  readonly recorder: Recorder
  readonly cuts: Cuts
  readonly foundations: Pick<Foundations, 'judged' | 'settled'>
  readonly knowledge: Pick<Knowledge, 'decide'>
  /** Rules that have begun and have no verdict yet. */
  readonly running: Set<string>
  /** True to keep the pods of failed rules. */
  readonly keep: boolean
  /** Rules that do not run, each with the reason. */
  readonly notRun: ReadonlyMap<string, Error>
  /** Rules that a budget left out and that run if time is left, each with the reason why it was left out. */
  readonly reserved: ReadonlyMap<string, Error>
  readonly reserve: RunReserve | undefined
  readonly rowOf: (id: string) => RuleRow
  readonly workersFreed: ((rule: string) => void) | undefined
  /** How rules get the values of their dimensions. */
  readonly drawnFrom: Deal | Values
  readonly isSparing: boolean
}

/** The reserve of a run that has a budget. */
export interface RunReserve extends Reserve {
  /** Real time until rules without a verdict are ended, ms. */
  readonly leftMs: () => number
}

/** Runs and judges the scenarios of a session, each in its turn. The returned function may be called once for each rule. */
export function createJudging(options: JudgingOptions) {
  const { services, sharedFixtures, clock, recorder, cuts, foundations, running, notRun, rowOf, drawnFrom, isSparing } =
    options
  const { reserved, reserve = { ...noReserve, leftMs: () => 0 } } = options
  const { target } = services
  const turns = createTurns(resourcesOf(target), createReserve(reserve, reserve.leftMs))

  async function judge(rule: Scenario): Promise<Judgement> {
    const row = rowOf(rule.id)
    const missing = missingNeed(target, row) ?? notRun.get(rule.id)
    if (missing !== undefined) return record(unjudged(row, missing))
    const actor = clock.actor(rule.id)
    const leftOut = reserved.get(rule.id)
    const occupancy = occupancyOf(rule, row, target)
    try {
      if (leftOut !== undefined) {
        const turn = await actor.join(turns.takeIfTimeIsLeft(rule.id, occupancy))
        // The end of the budget does not cut a rule that never began: it keeps the reason of the plan.
        if (turn === null) return record(unjudged(row, leftOut))
        recorder.event({ type: 'added', rule: rule.id })
        return await judgeIn(rule, row, actor, cuts.of(rule.id), turn).finally(turn.leave)
      }
      const cut = cuts.of(rule.id)
      const taken = turns.take(occupancy)
      const turn = await actor.join(Promise.race([taken, cut]))
      if ('leave' in turn) return await judgeIn(rule, row, actor, cut, turn).finally(turn.leave)
      void taken.then((late) => late.leave())
      return recordCut(row, turn)
    } finally {
      cuts.close(rule.id)
      actor.done()
    }
  }

  function record(judgement: Judgement): Judgement {
    foundations.judged(judgement)
    return recordJudgement(recorder, judgement)
  }

  function recordCut(row: RuleRow, error: Cut): Judgement {
    const judgement = unjudged(row, error)
    const { rule, verdict, by } = judgement
    recorder.event({ type: 'cut', rule, verdict, reason: error.message, ...(by === null ? {} : { by }) })
    return record(judgement)
  }

  async function judgeIn(
    rule: Scenario,
    row: RuleRow,
    actor: Actor,
    cut: Promise<Cut>,
    turn: Turn,
  ): Promise<Judgement> {
    const owner = createOwner(services, rule.id, actor)
    const vary = createVariation(rule, target, drawnFrom, { isSparing })
    const log = createLog(vary)
    const context = createContext(
      services,
      owner,
      row,
      fixturesOf(services.target, owner, sharedFixtures, vary),
      vary,
      log,
      () => {
        options.workersFreed?.(row.id)
        turn.freeWorkers()
      },
    )
    running.add(rule.id)
    const came = await Promise.race([
      runBranches(rule, context, actor).then(
        () => ({ isCut: false, error: undefined, seen: log.seen() }) as const,
        async (thrown: unknown) => {
          // What its other requests give from now on comes too late, in a replay too.
          const seen = log.seen()
          const error = await foundations.settled(
            rule.id,
            actor,
            await inconclusiveIfDisturbed(
              thrown ?? new Error('the rule threw nothing'),
              owner,
              target,
              options.knowledge,
            ),
          )
          return { isCut: false, error, seen } as const
        },
      ),
      cut.then((error) => ({ isCut: true, error }) as const),
    ])
    running.delete(rule.id)
    const judgement = came.isCut
      ? recordCut(row, came.error)
      : record({
          rule: row.id,
          ...verdictOf(came.error, row, came.seen.exchanges),
          ...came.seen,
          ...actor.span(),
        })
    owner.release()
    // The removal is paced, so time must be able to move.
    await actor.join(removeLeftovers(services, clock, [owner], options.keep && came.error instanceof ClauseViolated))
    return judgement
  }

  return judge
}

/** Runs a rule, or its branches so that their waits overlap. */
async function runBranches({ each, run }: Scenario, context: Context, actor: Actor): Promise<void> {
  if (each === undefined) await run(context, undefined)
  else await actor.concurrently(context.vary.branches(each(context)), (branch) => run(context, branch))
}

/** Collects what a rule reached while it runs. */
function createLog({ drawn }: Variation) {
  const clauses = new Set<string>()
  const exercised = new Set<number>()
  const readings: Record<string, string> = {}
  return {
    clause: (name: string) => clauses.add(name),
    exercised: (n: number) => exercised.add(n),
    reading: (name: string, value: string) => {
      readings[name] = value
    },
    seen: () => ({
      readings: Object.fromEntries(Object.entries(readings).sort(([a], [b]) => (a < b ? -1 : 1))),
      clauses: [...clauses].sort(),
      exchanges: exercised.size,
      variation: drawn(),
    }),
  }
}

function unjudged(row: RuleRow, error: unknown): Judgement {
  const nothing = { readings: {}, clauses: [], exchanges: 0, variation: {}, startedMs: null, endedMs: null }
  return { rule: row.id, ...nothing, ...verdictOf(error, row, 0) }
}
