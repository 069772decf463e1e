/**
 * Conformance checks as values, and rules of a vendor.
 * @module plumbline-conformance
 */

import type { RuleId } from '../generated/rules.ts'
import type { Exchange } from '../harness/exchange/exchange.ts'
import type { Context } from '../harness/rule/context.ts'
import * as registry from '../harness/rule/registry.ts'
import type { Defect as ProjectDefect } from '../proof/types.ts'
import { vendorDefects } from '../proof/vendor-defects.ts'
import * as headerTable from '../suites/shared/header-table.ts'
import * as shapeTable from '../suites/shared/shape-table.ts'
import * as table from '../suites/shared/table.ts'
import type { Target } from '../target/types.ts'

export { exitCodes } from '../verdicts/exit-codes.ts'
export { type CheckOptions, type CheckTarget, check, type Results } from './check.ts'
export type { Context, Exchange }

// Ids of a vendor are not in the generated union, so every function here takes any text; the row of the id is checked when
// its folder is loaded.
const idOf = (id: string) => id as RuleId

/** Options of a rule: its branches, the dimensions that the seed draws, and the endpoints and workers that it keeps. */
export type RuleOptions<Branch = unknown> = Partial<registry.ScenarioOptions<Branch>>

/** Arranges, acts and asserts. Everything that a rule works with is in its context. */
export type RuleFunction<Branch = unknown> = (context: Context, branch: Branch) => Promise<void>

/** Defines a rule that sends requests of its own and asserts on their responses. Its row is in a `.yaml` file of the folder. */
export function defineRule(id: string, run: RuleFunction): void
/** The same with options; with `each`, the function runs once for each branch. */
export function defineRule<Branch>(id: string, options: RuleOptions<Branch>, run: RuleFunction<Branch>): void
export function defineRule(id: string, ...rest: [RuleFunction] | [RuleOptions, RuleFunction]): void {
  const [options, run] = rest.length === 1 ? [{}, rest[0]] : rest
  registry.rule(idOf(id), options, run)
}

/**
 * Defines a rule about every exchange of a plane: a pure reducer that starts with `initial`. The second word of the id names the
 * plane, as in `acme.queue.quick`; any other word means pods.
 */
export function invariant<State>(
  id: string,
  initial: State,
  reduce: (state: State, exchange: Exchange, target: Target) => registry.InvariantStep<State>,
): void {
  registry.invariant(idOf(id), initial, reduce)
}

/** Defines an invariant without state. `judge` returns null for an exchange that shows nothing about the rule. */
export function everyExchange(
  id: string,
  judge: (exchange: Exchange, target: Target) => Omit<registry.InvariantStep<null>, 'state'> | null,
): void {
  registry.everyExchange(idOf(id), judge)
}

/** Defines a rule: each case, wrong in one way, is refused and has no effect. `prove` derives its defects. */
export function refusals<Branch>(
  id: string,
  arrange: table.Arrangement<Branch>,
  statuses: readonly table.Expected[],
  cases: table.RefusalTable<Branch>['cases'],
): void {
  table.refusals(idOf(id), arrange, statuses, cases)
}

/** Defines a rule: each case is accepted, and reads show it. `prove` derives its defects. */
export function accepts<Branch>(id: string, cases: table.AcceptTable<Branch>): void {
  table.accepts(idOf(id), cases)
}

/** Defines an invariant: every object of a kind has members of these types. `prove` derives its defects. */
export function shape(id: string, members: shapeTable.ShapeTable): void {
  shapeTable.shape(idOf(id), members)
}

/** Defines an invariant: every response of a kind has these headers. `prove` derives its defects. */
export function headers(id: string, responses: headerTable.HeaderTable): void {
  headerTable.headers(idOf(id), responses)
}

/** Arrangements for the tables, by the operation that they try. */
export { acting, patching } from '../suites/pods/arrangements.ts'
export { acceptedCreation, creation } from '../suites/pods/creation.ts'
export { everyPod } from '../suites/pods/pods-in.ts'
export { mediaType, present } from '../suites/shared/header-table.ts'
/** Readers of values for `shape`, such as `readers.integer(1, 10)`. */
export * as readers from '../suites/shared/readers.ts'
export { anyOf, needing, put, refusedWith } from '../suites/shared/table.ts'

/** The smallest change of the reference that breaks one clause of a rule of the vendor. */
export type Defect = Omit<ProjectDefect, 'rule' | 'tour'> & {
  /** The id of the rule that finds it. */
  readonly rule: string
  /** For an invariant: the rules whose exchanges show it; default: a tour of the plane. */
  readonly tour?: readonly string[]
}

/** Defines a defect. `plumbline prove --rules FOLDER` shows that its rule finds it in its clause. */
export function defineDefect(defect: Defect): void {
  vendorDefects.push(defect as ProjectDefect)
}
