import type { RuleId } from '../../generated/rules.ts'
import type { EndpointRole, Target } from '../../target/types.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { Dimension } from '../variation/dimensions.ts'
import type { Context } from './context.ts'
import type { Finding } from './outcome.ts'

/** An endpoint that a rule uses: a role of the queue plane, or of another plane as `PLANE.ROLE`. */
export type UsedEndpoint = EndpointRole | `${string}.${string}`

/** A rule that arranges, acts and asserts. */
export interface Scenario {
  readonly kind: 'scenario'
  readonly id: RuleId
  /** With `each`, once for each branch. */
  readonly run: (context: Context, branch: unknown) => Promise<void>
  /** Lists the branches of the rule, which run concurrently: mount states, kinds of pod, statuses. */
  readonly each?: (context: Context) => readonly unknown[]
  /** Runs after all others, alone. */
  readonly alone: boolean
  /** Endpoints that no other rule may use meanwhile. */
  readonly exclusive?: readonly UsedEndpoint[]
  /** Endpoints that it uses together with other rules that share them: it only waits there, or keeps a worker for seconds. */
  readonly shared?: readonly UsedEndpoint[]
  /** Endpoints that get a worker after a while; rules that do the same begin together and may use them too. */
  readonly wakes?: readonly UsedEndpoint[]
  /** How many workers of the normal endpoint it keeps at once; default: 1 if its row needs the worker. */
  readonly workers?: number | ((target: Target) => number)
  /** How many workers its own endpoints have at once; default: 1 if its row needs `management.delete`. */
  readonly creates?: number
  /** Dimensions that its sentence leaves open, drawn by the engine. */
  readonly varies?: readonly Dimension[]
}

/** The judgement of a reducer about one exchange. */
export interface InvariantStep<State> {
  readonly state: State
  /** Clauses that this exchange exercised; empty if it shows nothing about the rule. */
  readonly exercised: readonly string[]
  /** `exchange`: an earlier one that shows it; default: this one. */
  readonly findings: readonly (Omit<Finding, 'exchange'> & { readonly exchange?: number })[]
  /** Readings where the description is open; the last value of a name wins. */
  readonly readings?: Readonly<Record<string, string>>
}

/**
 * A rule about every exchange of the plane that its id names (`planeOfRule`), whichever scenario made it: a reducer, which owns its
 * state.
 */
export interface Invariant<State = unknown> {
  readonly kind: 'invariant'
  readonly id: RuleId
  readonly initial: State
  readonly reduce: (state: State, exchange: Exchange, target: Target) => InvariantStep<State>
  /** Findings of the state after the last exchange, which nothing can explain any more. */
  readonly atEnd?: (state: State) => InvariantStep<State>['findings']
  /** It is about connections: it sees the exchanges of all planes, and those that are out of step. */
  readonly ofConnections?: boolean
}

export type Rule = Scenario | Invariant

const rules = new Map<RuleId, Rule>()

type Run<Branch> = (context: Context, branch: Branch) => Promise<void>

/** Puts a scenario into the registry. Throws if the id is already there. */
export function rule(id: RuleId, run: Run<unknown>): void
/**
 * Puts a scenario with options into the registry; `each` lists its branches, such as kinds of pods, and `run` gets one of them.
 * Throws if the id is already there.
 */
export function rule<Branch>(id: RuleId, options: Partial<ScenarioOptions<Branch>>, run: Run<Branch>): void
export function rule(id: RuleId, ...rest: [Run<never>] | [Partial<ScenarioOptions>, Run<never>]): void {
  const [options, run] = rest.length === 1 ? [{}, ...rest] : rest
  add({ kind: 'scenario', id, alone: false, ...options, run: run as Scenario['run'] })
}

/** Options of a scenario. */
export type ScenarioOptions<Branch = unknown> = Pick<
  Scenario,
  'alone' | 'exclusive' | 'shared' | 'wakes' | 'workers' | 'creates' | 'varies'
> & { readonly each?: (context: Context) => readonly Branch[] }

/** Puts an invariant into the registry, over the exchanges of the plane in its id, or of all connections. */
export function invariant<State>(
  id: RuleId,
  initial: State,
  reduce: Invariant<State>['reduce'],
  options: Pick<Invariant<State>, 'ofConnections' | 'atEnd'> = {},
): void {
  add({ kind: 'invariant', id, initial, reduce, ...options } as Invariant)
}

/** An invariant without state: each exchange is judged by itself. `null`: the exchange shows nothing about the rule. */
export function everyExchange(
  id: RuleId,
  judge: (exchange: Exchange, target: Target) => Omit<InvariantStep<null>, 'state'> | null,
): void {
  invariant<null>(id, null, (state, exchange, target) => {
    const seen = judge(exchange, target)
    return seen === null ? { state, exercised: [], findings: [] } : { state, ...seen }
  })
}

/** All rules, sorted by id. */
export function allRules(): readonly Rule[] {
  return [...rules.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

function add(entry: Rule): void {
  if (rules.has(entry.id)) throw new Error(`rule ${entry.id} is registered twice; each id has one function`)
  rules.set(entry.id, entry)
}
