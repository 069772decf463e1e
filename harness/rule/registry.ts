import type { RuleId } from '../../generated/rules.ts'
import type { EndpointRole, Target } from '../../target/types.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { Dimension } from '../variation/dimensions.ts'
import type { Context } from './context.ts'
import type { Finding } from './outcome.ts'

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
  readonly uses?: readonly EndpointRole[]
  /** Endpoints that other rules may use meanwhile which share them too: nothing is executed there. */
  readonly shares?: readonly EndpointRole[]
  /** Endpoints that it brings a worker to after a while; rules that do the same begin with it and may use them too. */
  readonly rouses?: readonly EndpointRole[]
  /** How many workers of the normal endpoint it keeps at once; default: 1 where its row needs the worker. */
  readonly workers?: number | ((target: Target) => number)
  /** What its sentence leaves open, and the engine draws by seed. */
  readonly varies?: readonly Dimension[]
}

/** What a reducer makes of one exchange. */
export interface Seen<State> {
  readonly state: State
  /** Clauses that this exchange exercised; empty where it says nothing about the rule. */
  readonly exercised: readonly string[]
  readonly findings: readonly Omit<Finding, 'exchange'>[]
  /** What was seen where the description is open; the last value of a name stays. */
  readonly readings?: Readonly<Record<string, string>>
}

/** A rule about every exchange of the run, whichever scenario made it: a pure reducer. */
export interface Invariant<State = unknown> {
  readonly kind: 'invariant'
  readonly id: RuleId
  readonly initial: State
  readonly reduce: (state: State, exchange: Exchange, target: Target) => Seen<State>
}

export type Rule = Scenario | Invariant

const rules = new Map<RuleId, Rule>()

/** Puts a scenario into the registry. Throws where the id is there already. */
export function rule<Branch>(
  id: RuleId,
  run: (context: Context, branch: Branch) => Promise<void>,
  options: Partial<ScenarioOptions<Branch>> = {},
): void {
  add({ kind: 'scenario', id, run: run as Scenario['run'], ...options, alone: options.alone ?? false })
}

/** What a scenario may say of itself. */
export type ScenarioOptions<Branch = unknown> = Pick<
  Scenario,
  'alone' | 'uses' | 'shares' | 'rouses' | 'workers' | 'varies'
> & { readonly each?: (context: Context) => readonly Branch[] }

/** Puts an invariant into the registry: over the exchanges of the plane that its id names. */
export function invariant<State>(id: RuleId, initial: State, reduce: Invariant<State>['reduce']): void {
  add({ kind: 'invariant', id, initial, reduce: reduce as Invariant['reduce'] })
}

/** An invariant without memory: each exchange is judged by itself. `null`: the exchange says nothing about the rule. */
export function everyExchange(
  id: RuleId,
  judge: (exchange: Exchange, target: Target) => Omit<Seen<null>, 'state'> | null,
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
