import type { RuleRow } from '../../generated/rules.ts'
import type { Target } from '../../target/types.ts'
import { needsOf } from '../claims/claims.ts'
import type { Direct } from '../client/direct.ts'
import { hostOf } from '../client/host.ts'
import { randomFrom } from '../common/random.ts'
import type { WireResponse } from '../exchange/exchange.ts'
import { ownerName } from '../exchange/owner-names.ts'
import { costOfRule } from '../plan/costs.ts'
import { beginsBefore } from '../plan/plan.ts'
import { occupancyOf, waitMsOf } from '../plan/turns.ts'
import { createSharedFixtures } from '../planes/fixtures.ts'
import { allPlanes, foundationRank, planeOfOperation, sectionOf } from '../planes/index.ts'
import type { Plane } from '../planes/plane.ts'
import type { CutEvent, KnownEvent, LeftOut } from '../record/events.ts'
import type { Resource } from '../record/resources.ts'
import { Blocked, Inconclusive, Stalled, Unverified } from '../rule/outcome.ts'
import { allRules, type Invariant, type Rule, type Scenario } from '../rule/registry.ts'
import { assignValues } from '../variation/deal.ts'
import type { Values } from '../variation/dimensions.ts'
import { createCuts } from './cuts.ts'
import { createFoundations } from './foundations.ts'
import { foldInvariants, type TakeUnrecorded } from './invariants.ts'
import { type Judgement, recordJudgement } from './judge.ts'
import { createJudging, type RunReserve } from './judging.ts'
import { createKnowledge } from './knowledge.ts'
import { createLongWaits } from './long-waits.ts'
import { createOwner, type Owner } from './owner.ts'
import { firstTolerances, type ProbeResult, probeTarget } from './probe.ts'
import { type End, type RemovalOptions, removeAll, removeLeftovers } from './removal.ts'
import { rowOf as rowOfLedger } from './rows.ts'
import { createServices, type ServiceOptions } from './services.ts'

export interface SessionOptions extends ServiceOptions {
  readonly target: Target
  /** True to keep the pods of failed rules. All else is removed once its rule is done. */
  readonly keep?: boolean
  /** Rules that a budget left out beforehand. In a replay: those of them that did not run after all. */
  readonly leftOut?: readonly LeftOut[]
  /** Those of them that run if time is left; default: none. */
  readonly reserve?: RunReserve
  /** In a replay: the rules that the run itself ended. */
  readonly cuts?: readonly CutEvent[]
  /** Values of some dimensions; every other one has its plain value. Default: values are drawn by the seed. */
  readonly given?: Values
  /** True if the run draws what it can, because the target grants few requests in a long window. */
  readonly isSparing?: boolean
  /** In a replay: the decisions of rules that depended on others. */
  readonly known?: readonly KnownEvent[]
  /** Called when a rule releases its workers before it ends. */
  readonly workersFreed?: (rule: string) => void
  /** The row of a rule; default: of the ledger. */
  readonly rowOf?: (id: string) => RuleRow
}

/** One run of rules against one target. One process may have many. */
export type Session = ReturnType<typeof createSession>

export function createSession(options: SessionOptions) {
  const { clock, recorder, seed, keep = false, listener = null, rowOf = rowOfLedger } = options
  // Without a listener, the receiver of the target file is useless.
  const target = listener === null ? { ...options.target, receiver: null } : options.target
  /** Rules that do not run, each with the reason: a budget left them out, or the recorded run ended them. */
  const leftOut = (options.leftOut ?? []).map(({ rule, reason }) => [rule, new Unverified(reason)] as const)
  const inReserve = new Set(options.reserve?.rules.map(({ rule }) => rule))
  const notRun = new Map<string, Error>([
    ...leftOut.filter(([rule]) => !inReserve.has(rule)),
    ...(options.cuts ?? []).map((cut) => [cut.rule, errorOf(cut)] as const),
  ])
  const scenarios = options.rules.filter(isScenario)
  const fold = foldInvariants(
    options.rules.filter((rule): rule is Invariant => rule.kind === 'invariant'),
    target,
  )
  const cuts = createCuts()
  const running = new Set<string>()
  const knowledge = createKnowledge(options.known ?? null, recorder.event)
  const foundations = createFoundations(knowledge, (rule) => running.has(rule))
  const longWaits = createLongWaits(knowledge, cuts, clock.now)
  /** Ends the rules about planes at a host that is too slow for every request, or that no longer accepts the key. */
  function giveUp(host: string, operation: string, reason: string): void {
    const isThere = ({ name }: Plane) => hostOf(sectionOf(target, name)?.url ?? '') === host
    const planes = new Set([planeOfOperation(operation), ...allPlanes().filter(isThere)].map(({ name }) => name))
    const ended = scenarios.filter(({ id }) => needsOf(rowOf(id)).some((need) => planes.has(need)))
    const error = new Unverified(reason)
    cuts.cut(
      error,
      ended.map(({ id }) => id),
    )
  }
  const judges = { exchange: fold.exchange, giveUp }
  const { services, exchanges, waits } = createServices(options, { target, foundations, longWaits }, judges)
  const owners: Owner[] = []
  const addOwner = (name: string): Owner => {
    const owner = createOwner(services, name, clock.actor(name))
    owners.push(owner)
    return owner
  }
  const sharedFixtures = createSharedFixtures(services.target, addOwner)
  const rulesById = new Map([...allRules(), ...options.rules].map((rule) => [rule.id, rule]))
  // Dealt to all rules, selected or not, so that a rule that is run again alone draws the same.
  const drawnFrom = options.given ?? assignValues([...rulesById.values()].filter(isScenario), seed)
  const judge = createJudging({
    services,
    sharedFixtures,
    clock,
    recorder,
    cuts,
    foundations,
    knowledge,
    running,
    keep,
    notRun,
    reserved: new Map(leftOut.filter(([rule]) => inReserve.has(rule))),
    reserve: options.reserve,
    rowOf,
    drawnFrom,
    isSparing: options.isSparing ?? false,
    workersFreed: options.workersFreed,
  })
  const judgements: Judgement[] = []

  return {
    /** In the order of the seed; rules that must be alone come last. Each `judge` may be called once. */
    scenarios: inOrder(scenarios, target, seed, rowOf).map((rule) => ({
      id: rule.id,
      async judge(): Promise<Judgement> {
        const judgement = await judge(rule)
        judgements.push(judgement)
        return judgement
      },
    })),
    invariants: options.rules.filter((rule) => rule.kind === 'invariant').map((rule) => rule.id),
    /** Rules that have begun and have no verdict yet. */
    running: running as ReadonlySet<string>,
    /** Ends these rules, or all that have no verdict yet. */
    cut: cuts.cut,
    /** Exchanges so far. */
    exchanges,
    /** The limit that requests wait for, in words; null if none waits. */
    waits,
    /**
     * Ends fixtures in the making, removes what is left, lets `drive` send the load of the run, and judges the invariants. After it
     * nothing is sent.
     */
    async finish(drive: (take: TakeUnrecorded) => Promise<void> = async () => {}): Promise<Judgement[]> {
      // If the run was cut, shared fixtures are still being made.
      for (const owner of owners) owner.release()
      await removeLeftovers(services, clock, owners, false)
      await drive(fold.unrecorded)
      return fold.judge(rowOf, judgements).map((judgement) => recordJudgement(recorder, judgement))
    },
    /** Lets every job go on: what is held is answered sooner. */
    releaseAll: () => services.receiver?.releaseAll(),
    /** Removes what an earlier process of this run has left, as its ledger says. */
    sweep: (wanted: readonly Resource[], options: RemovalOptions): Promise<End[]> =>
      removeAll(services, clock, ownerName('sweep'), wanted, options),
    /** Looks at each plane that is judged before anything is created: see `probeTarget`. */
    async probe(say: (line: string) => void = () => {}): Promise<ProbeResult | null> {
      const prober = addOwner(ownerName('probe'))
      try {
        const judged = new Set(options.rules.flatMap(({ id }) => needsOf(rowOf(id))))
        // A response that may be held waits for a clock that does not move yet.
        const hurried = (plane: Plane, operation: string) =>
          plane.operations[operation]?.held ? {} : firstTolerances(target)
        const directTo =
          (plane: Plane): Direct =>
          async (operation, call) => {
            const { exchange } = await prober
              .on(plane.name)
              .as('full')
              .call(operation, { ...call, ...hurried(plane, operation), raw429: true, onceIfLate: true })
            return exchange.response as WireResponse
          }
        return await probeTarget(target, (plane) => judged.has(plane), directTo, say)
      } finally {
        prober.actor.done()
      }
    },
  }
}

/** Rules in the order in which they begin; ties are shuffled by the seed, and rules that must be alone come last. */
function inOrder(rules: readonly Scenario[], target: Target, seed: number, rowOf: (id: string) => RuleRow): Scenario[] {
  const random = randomFrom(seed, 'order')
  return [...rules]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((rule) => {
      const row = rowOf(rule.id)
      const ms = Math.max(waitMsOf(row), costOfRule(row).ms)
      const needsWorker = needsOf(row).includes('worker')
      const occupancy = occupancyOf(rule, row, target)
      return { rule, rank: foundationRank(rule.id), needsWorker, occupancy, ms, place: random() }
    })
    .sort((a, b) => Number(a.rule.alone) - Number(b.rule.alone) || beginsBefore(a, b) || a.place - b.place)
    .map(({ rule }) => rule)
}

function isScenario(rule: Rule): rule is Scenario {
  return rule.kind === 'scenario'
}

function errorOf({ verdict, reason, by }: CutEvent): Error {
  if (by !== undefined) return new Blocked(by, reason)
  if (verdict === 'inconclusive') return new Inconclusive(reason)
  return verdict === 'broken' ? new Stalled(reason) : new Unverified(reason)
}
