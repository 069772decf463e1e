import type { RuleRow } from '../../../generated/rules.ts'
import { createPacer, type Pacer } from '../client/pacer.ts'
import type { Line } from '../client/sender.ts'
import type { Actor, RunClock } from '../clock/types.ts'
import type { Exchange } from '../exchange.ts'
import { createSharedFixtures, fixturesOf } from '../fixtures/fixtures.ts'
import type { ResourceLedger } from '../fixtures/resources.ts'
import { Inconclusive, RuleBroken } from '../outcome.ts'
import type { Recorder } from '../record/recorder.ts'
import type { Invariant, Rule, Scenario } from '../registry.ts'
import { demand } from '../target/claims.ts'
import type { Target } from '../target/types.ts'
import type { Transport } from '../transport/types.ts'
import { type Cleanup, removeLeftovers } from './cleanup.ts'
import { foldInvariants } from './invariants.ts'
import { type Judgement, verdictOf } from './judge.ts'
import { createContext, createOwner, type Owner, randomFrom, type Shared } from './owner.ts'
import { rowOf } from './rows.ts'
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
  /** Whether pods are removed once their rule is done; `failed` leaves those of failed rules. */
  readonly cleanup: Cleanup
  /** The harness's own clock, ms of the Unix epoch. */
  readonly wallNow: () => number
}

/** One run of rules against one target. Many live beside each other in one process. */
export interface Session {
  /** In the order of the seed; rules that must be alone come last. Each `judge` may be called once. */
  readonly scenarios: readonly { readonly id: string; judge(): Promise<Judgement> }[]
  readonly invariants: readonly string[]
  /** Removes what is left and judges the invariants; after it nothing is sent any more. */
  finish(): Promise<Judgement[]>
  /** One look at the target before anything is created; the answer's status, or why there was none. */
  probe(): Promise<{ readonly status: number } | { readonly failure: string }>
  /** Exchanges so far. */
  exchanges(): number
}

/** Opens a session. Throws NotApplicable where the target has no plane that any rule is about. */
export function createSession(options: SessionOptions): Session {
  const { target, clock, recorder, seed } = options
  const scenarios = options.rules.filter((rule): rule is Scenario => rule.kind === 'scenario')
  const fold = foldInvariants(
    options.rules.filter((rule): rule is Invariant => rule.kind === 'invariant'),
    target,
  )
  let count = 0
  const pacers = new Map<string, Pacer>()
  const line: Line = {
    run: options.run,
    version: options.version,
    transport: options.transport,
    tolerances: target.tolerances,
    now: () => clock.now(),
    wallNow: options.wallNow,
    next: () => ++count,
    pacer: (key) => (key === null || clock.kind === 'record' ? null : pacerOf(key)),
    record(exchange: Exchange) {
      recorder.exchange(exchange)
      fold.exchange(exchange)
    },
    health: { unanswered: 0, everAnswered: false },
  }
  const shared: Shared = { line, target, controlled: clock.controlled, seed, resources: options.resources }
  const owners: Owner[] = []
  const ownerOf = (name: string): Owner => {
    const owner = createOwner(shared, name, clock.actor(name))
    owners.push(owner)
    return owner
  }
  const common = createSharedFixtures(shared, ownerOf)
  const turns = createTurns(target.budget.scenarios)

  function pacerOf(key: string): Pacer {
    const pacer = pacers.get(key) ?? createPacer()
    pacers.set(key, pacer)
    return pacer
  }

  async function judge(rule: Scenario): Promise<Judgement> {
    const row = rowOf(rule.id)
    const missing = unmet(row, target)
    if (missing !== undefined) return tell(recorder, empty(row, missing))
    const actor = clock.actor(rule.id)
    try {
      return await actor.join(turns.take(rule.alone)).then((leave) => judgeIn(rule, row, actor).finally(leave))
    } finally {
      actor.done()
    }
  }

  async function judgeIn(rule: Scenario, row: RuleRow, actor: Actor): Promise<Judgement> {
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
    const error = await rule.run(context).then(
      () => undefined,
      (thrown: unknown) => thrown ?? new Error('the rule threw nothing'),
    )
    const judgement: Judgement = {
      rule: row.id,
      ...verdictOf(error, row, exercised.size),
      readings,
      clauses: [...clauses].sort(),
      exchanges: exercised.size,
      startedMs: actor.started(),
      endedMs: actor.started() === null ? null : actor.now(),
    }
    tell(recorder, judgement)
    owner.release()
    await removeLeftovers(shared, clock, [owner], options.cleanup, error instanceof RuleBroken)
    return judgement
  }

  return {
    scenarios: ordered(scenarios, seed).map((rule) => ({ id: rule.id, judge: () => judge(rule) })),
    invariants: options.rules.filter((rule) => rule.kind === 'invariant').map((rule) => rule.id),
    exchanges: () => count,
    async finish() {
      await removeLeftovers(shared, clock, owners, options.cleanup, false)
      const judgements = fold.judge(rowOf)
      for (const judgement of judgements) tell(recorder, judgement)
      return judgements
    },
    async probe() {
      const actor = clock.actor('probe')
      try {
        const reply = await createOwner(shared, 'probe', actor).pods.list({ raw429: true })
        return { status: reply.status }
      } catch (error) {
        if (error instanceof Inconclusive) return { failure: error.message.replace(/^no whole answer: /, '') }
        throw error
      } finally {
        actor.done()
      }
    },
  }
}

/** The first need of a rule that the target does not offer, as the error that says so. */
function unmet(row: RuleRow, target: Target): unknown {
  try {
    for (const need of row.needs) demand(target, need)
    return undefined
  } catch (error) {
    return error
  }
}

function empty(row: RuleRow, error: unknown): Judgement {
  const nothing = { readings: {}, clauses: [], exchanges: 0, startedMs: null, endedMs: null }
  return { rule: row.id, ...nothing, ...verdictOf(error, row, 0) }
}

/** Shuffled by the seed; those that must be alone last. */
function ordered(rules: readonly Scenario[], seed: number): Scenario[] {
  const random = randomFrom(seed, 'order')
  return [...rules]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((rule) => ({ rule, place: (rule.alone ? 1 : 0) + random() * 0.999 }))
    .sort((a, b) => a.place - b.place)
    .map(({ rule }) => rule)
}
