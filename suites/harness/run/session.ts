import type { RuleRow } from '../../../generated/rules.ts'
import { createPacer, type Pacer } from '../client/pacer.ts'
import { createQueuePacer } from '../client/queue-pacer.ts'
import type { Line, Outgoing } from '../client/sender.ts'
import type { Actor, RunClock } from '../clock/types.ts'
import { type Exchange, isQueueOperation, type Plane } from '../exchange.ts'
import { createSharedFixtures, fixturesOf } from '../fixtures/fixtures.ts'
import type { ResourceLedger } from '../fixtures/resources.ts'
import { createHooks } from '../hooks/hooks.ts'
import { Inconclusive, RuleBroken, Stalled, Unverified } from '../outcome.ts'
import { estimate } from '../plan/estimate.ts'
import { claimOf, waitMsOf } from '../plan/resources.ts'
import { createDesk } from '../receiver/desk.ts'
import type { Door } from '../receiver/types.ts'
import type { CutEvent, LeftOut } from '../record/events.ts'
import type { Recorder } from '../record/recorder.ts'
import type { Invariant, Rule, Scenario } from '../registry.ts'
import { missingNeed, needsOf } from '../target/claims.ts'
import type { Target } from '../target/types.ts'
import type { Transport } from '../transport/types.ts'
import { type Cleanup, removeLeftovers } from './cleanup.ts'
import { foldInvariants } from './invariants.ts'
import { type Judgement, verdictOf } from './judge.ts'
import { createContext, createOwner, type Owner, randomFrom, type Shared } from './owner.ts'
import { lookAtPods, lookAtQueue, type Seen } from './probe.ts'
import { rowOf as rowOfLedger } from './rows.ts'
import { tell } from './tell.ts'
import { createTurns } from './turns.ts'

export interface SessionOptions {
  readonly run: string
  readonly version: string
  readonly seed: number
  readonly target: Target
  readonly transport: Transport
  readonly clock: RunClock
  readonly recorder: Recorder
  readonly resources: ResourceLedger
  /** The rules to judge, in any order. */
  readonly rules: readonly Rule[]
  /** Whether pods are removed once their rule is done: all, those of rules that passed, or none. */
  readonly cleanup: Cleanup
  /** The harness's own clock, ms of the Unix epoch. */
  readonly wallNow: () => number
  /** Where notifications and beacons come in; without it the target does not reach the suite. */
  readonly door?: Door | null
  /** Rules that a budget left out beforehand. */
  readonly leftOut?: readonly LeftOut[]
  /** What came of the hooks of a run that is over; default: they are run and recorded. */
  readonly hook?: Shared['hook']
  /** In a replay: the rules that the run itself ended. */
  readonly cuts?: readonly CutEvent[]
  /** The row of a rule; default: of the ledger. */
  readonly rowOf?: (id: string) => RuleRow
}

/** One run of rules against one target. Many live beside each other in one process. */
export interface Session {
  /** In the order of the seed; rules that must be alone come last. Each `judge` may be called once. */
  readonly scenarios: readonly { readonly id: string; judge(): Promise<Judgement> }[]
  readonly invariants: readonly string[]
  /** Rules that have begun and have no verdict yet. */
  readonly running: ReadonlySet<string>
  /** Ends these rules, or all that have no verdict yet, with this error as what came of them. */
  cut(error: Unverified | Stalled, rules?: readonly string[]): void
  /** Ends what is still being made, removes what is left and judges the invariants; after it nothing is sent any more. */
  finish(): Promise<Judgement[]>
  /** A look at each plane that is judged before anything is created, up to the first that is in the way of a run. */
  probe(): Promise<Seen>
  /** Exchanges so far. */
  exchanges(): number
}

/** Opens a session. */
export function createSession(options: SessionOptions): Session {
  const { clock, recorder, seed, door = null, rowOf = rowOfLedger } = options
  // What the file says of a receiver is of no use where nothing comes in.
  const target = door === null ? { ...options.target, receiver: null } : options.target
  const ended = new Map<string, Error>([
    ...(options.leftOut ?? []).map(({ rule, reason }) => [rule, new Unverified(reason)] as const),
    ...(options.cuts ?? []).map((cut) => [cut.rule, errorOf(cut)] as const),
  ])
  const scenarios = options.rules.filter((rule): rule is Scenario => rule.kind === 'scenario')
  const fold = foldInvariants(
    options.rules.filter((rule): rule is Invariant => rule.kind === 'invariant'),
    target,
  )
  let count = 0
  const pacers = new Map<string, Pacer | null>()
  const line: Line = {
    run: options.run,
    version: options.version,
    transport: options.transport,
    tolerances: target.tolerances,
    now: () => clock.now(),
    wallNow: options.wallNow,
    next: () => ++count,
    pacer: (outgoing) => (outgoing.key === null || clock.kind === 'record' ? null : pacerOf(outgoing)),
    record(exchange: Exchange) {
      recorder.exchange(exchange)
      fold.exchange(exchange)
    },
    health: { unanswered: 0, triedMs: 0 },
  }
  const desk =
    target.receiver === null
      ? null
      : createDesk({
          run: options.run,
          seed,
          // In process nobody looks up a host.
          url: target.receiver.url === '' ? 'http://receiver.test' : target.receiver.url,
          clock,
          wallNow: options.wallNow,
          record: recorder.arrival,
        })
  if (desk !== null) door?.open(desk.receive, desk.replayed)
  const runHook = createHooks(options.transport, target.tolerances.hookMs)
  const hook: Shared['hook'] = async (owner, n, hook, call) => {
    const failure = briefly(recorder, await runHook(hook, { run: options.run, ...call }))
    recorder.event({ type: 'hook', owner, hook: n, ...call, failure })
    return failure
  }
  const shared: Shared = {
    hook: options.hook ?? hook,
    line,
    target,
    controlled: clock.controlled,
    seed,
    resources: options.resources,
    desk,
  }
  const owners: Owner[] = []
  const ownerOf = (name: string): Owner => {
    const owner = createOwner(shared, name, clock.actor(name))
    owners.push(owner)
    return owner
  }
  const common = createSharedFixtures(shared, ownerOf)
  const cutters = new Map<string, (error: Unverified | Stalled) => void>()
  const running = new Set<string>()
  const turns = createTurns({ scenarios: target.budget.scenarios, workers: target.queue?.workers ?? 0 })

  /** The pod API counts by user, the queue plane by endpoint and operation. */
  function pacerOf({ operation, endpoint = '', key }: Pick<Outgoing, 'operation' | 'endpoint' | 'key'>): Pacer | null {
    const name = isQueueOperation(operation) ? `${endpoint} ${operation}` : `key ${key}`
    let pacer = pacers.get(name)
    if (pacer === undefined) {
      pacer = isQueueOperation(operation) ? createQueuePacer(operation) : createPacer()
      pacers.set(name, pacer)
    }
    return pacer
  }

  async function judge(rule: Scenario): Promise<Judgement> {
    const row = rowOf(rule.id)
    const missing = missingNeed(target, row) ?? ended.get(rule.id)
    if (missing !== undefined) return tell(recorder, empty(row, missing))
    const actor = clock.actor(rule.id)
    const cut = new Promise<Unverified | Stalled>((resolve) => cutters.set(rule.id, resolve))
    try {
      const turn = turns.take(claimOf(rule, row, target))
      const leave = await actor.join(Promise.race([turn, cut]))
      if (typeof leave === 'function') return await judgeIn(rule, row, actor, cut).finally(leave)
      void turn.then((late) => late())
      return tellCut(row, leave)
    } finally {
      cutters.delete(rule.id)
      actor.done()
    }
  }

  function tellCut(row: RuleRow, error: Unverified | Stalled): Judgement {
    const verdict = error instanceof Stalled ? 'broken' : 'unverified'
    recorder.event({ type: 'cut', rule: row.id, verdict, reason: error.message })
    return tell(recorder, empty(row, error))
  }

  async function judgeIn(
    rule: Scenario,
    row: RuleRow,
    actor: Actor,
    cut: Promise<Unverified | Stalled>,
  ): Promise<Judgement> {
    const clauses = new Set<string>()
    const exercised = new Set<number>()
    const readings: Record<string, string> = {}
    const owner = createOwner(shared, rule.id, actor)
    const context = createContext(shared, owner, row, fixturesOf(shared, owner, common), {
      clause: (name) => clauses.add(name),
      exercised: (n) => exercised.add(n),
      reading: (name, value) => {
        readings[name] = value
      },
    })
    running.add(rule.id)
    const done = rule.run(context).then(
      () => undefined,
      (thrown: unknown) => thrown ?? new Error('the rule threw nothing'),
    )
    let isCut = false
    const error = await Promise.race([
      done,
      cut.then((given) => {
        isCut = true
        return given
      }),
    ])
    running.delete(rule.id)
    const judgement: Judgement = isCut
      ? tellCut(row, error as Unverified | Stalled)
      : tell(recorder, {
          rule: row.id,
          ...verdictOf(error, row, exercised.size),
          readings,
          clauses: [...clauses].sort(),
          exchanges: exercised.size,
          startedMs: actor.started(),
          endedMs: actor.started() === null ? null : actor.now(),
        })
    owner.release()
    // The removal is paced, so time must be able to move meanwhile.
    await actor.join(removeLeftovers(shared, clock, [owner], options.cleanup, error instanceof RuleBroken))
    return judgement
  }

  return {
    scenarios: ordered(scenarios, seed, rowOf, target).map((rule) => ({ id: rule.id, judge: () => judge(rule) })),
    invariants: options.rules.filter((rule) => rule.kind === 'invariant').map((rule) => rule.id),
    running,
    cut(error, rules = [...cutters.keys()]) {
      for (const rule of rules) cutters.get(rule)?.(error)
    },
    exchanges: () => count,
    async finish() {
      // Where the run was cut, shared fixtures are still being made.
      for (const owner of owners) owner.release()
      await removeLeftovers(shared, clock, owners, options.cleanup, false)
      const judgements = fold.judge(rowOf)
      for (const judgement of judgements) tell(recorder, judgement)
      return judgements
    },
    async probe() {
      const prober = ownerOf('probe')
      try {
        if (target.pods === null) return await seenOf('queue', () => lookAtQueue(prober.queue.as('full')))
        const pods = await seenOf('pods', () => lookAtPods(prober.pods))
        const isQueueJudged = options.rules.some(({ id }) => needsOf(rowOf(id)).includes('queue'))
        if (!('status' in pods) || target.queue === null || !isQueueJudged) return pods
        const queue = await seenOf('queue', () => lookAtQueue(prober.queue.as('full')))
        return 'status' in queue ? pods : queue
      } finally {
        prober.actor.done()
      }
    },
  }
}

async function seenOf(plane: Plane, look: () => Promise<Seen>): Promise<Seen> {
  try {
    return await look()
  } catch (error) {
    if (error instanceof Inconclusive) return { plane, failure: error.message.replace(/^no whole answer: /, '') }
    throw error
  }
}

/** Secrets go before a text is cut. */
function briefly(recorder: Recorder, text: string | null): string | null {
  return text === null ? null : recorder.clean(text).slice(0, 300)
}

function errorOf({ verdict, reason }: CutEvent): Error {
  return verdict === 'broken' ? new Stalled(reason) : new Unverified(reason)
}

function empty(row: RuleRow, error: unknown): Judgement {
  const nothing = { readings: {}, clauses: [], exchanges: 0, startedMs: null, endedMs: null }
  return { rule: row.id, ...nothing, ...verdictOf(error, row, 0) }
}

/** The longest first, so that they overlap; else shuffled by the seed; those that must be alone last. */
function ordered(rules: readonly Scenario[], seed: number, rowOf: (id: string) => RuleRow, target: Target): Scenario[] {
  const random = randomFrom(seed, 'order')
  // Where time need not be waited out, the waits of the ledger order the rules all the same.
  const lengthOf = (rule: Scenario) => {
    const row = rowOf(rule.id)
    return target.clock === 'real' ? estimate(rule, row, target).ms : waitMsOf(row)
  }
  return [...rules]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((rule) => ({ rule, alone: rule.alone ? 1 : 0, ms: lengthOf(rule), place: random() }))
    .sort((a, b) => a.alone - b.alone || b.ms - a.ms || a.place - b.place)
    .map(({ rule }) => rule)
}
