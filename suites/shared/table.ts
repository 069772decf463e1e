import type { OperationId } from '../../generated/operations.ts'
import type { RuleId } from '../../generated/rules.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { raw } from '../../harness/client/body.ts'
import { likeTexts, mutate } from '../../harness/common/mutate.ts'
import { canonical, type Members } from '../../harness/exchange/read.ts'
import { type Check, inconclusiveIfOutage } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { Dropped, orDropped } from '../../harness/rule/outcome.ts'
import { rule, type ScenarioOptions } from '../../harness/rule/registry.ts'
import type { Dimension } from '../../harness/variation/dimensions.ts'
import { branchName, type Variation } from '../../harness/variation/variation.ts'
import type { Target } from '../../target/types.ts'
import { replaced } from './replaced.ts'

/** A status, or a class of them, as `constraints` has them. */
export type Expected = number | '2XX' | '3XX' | '4XX'

/**
 * One way to make a valid body wrong: other members, a function, or the bytes that are sent in place of its JSON. Applied
 * twice, it gives the same body, so a body shows which case it is. A function returns undefined if it does not fit
 * the target or the branch.
 */
export type Wrong<Branch = never> = Members | WrongBody<Branch> | WrongText

type WrongBody<Branch = never> = (valid: Members, target: Target, branch: Branch) => unknown

interface WrongText {
  readonly text: (json: string) => string | Uint8Array
}

/** A case with other statuses than its table, or with a need of its own, which the row lists under `parts`. */
interface Case<Branch = never> {
  readonly wrong: Wrong<Branch>
  readonly statuses?: readonly Expected[]
  readonly needs?: string
}

/** Cases that are wrong in the same way, of which the seed draws one; the name of each is its member. */
interface CaseClass<Branch = never> {
  readonly members: Readonly<Record<string, Wrong<Branch>>>
}

/** How the requests of a table are made: the operation, its branches, and the valid request before the first case. */
export interface Arrangement<Branch> {
  readonly operation: (branch: Branch) => OperationId
  /** The branches on offer. */
  readonly each: (context: Pick<Context, 'part'>) => readonly Branch[]
  readonly varies: readonly Dimension[]
  /** The workers that the rule keeps. */
  readonly options?: Pick<ScenarioOptions, 'workers'>
  /** Shows that a valid request succeeds. */
  readonly begin: (context: Context, branch: Branch) => Promise<Arranged>
}

/** One branch after its valid request. */
interface Arranged {
  /** The body that was accepted; of a creation with another name. */
  readonly valid: () => Promise<Members>
  /** Sends a body that must be refused: the valid one of this name with something wrong. */
  readonly send: (body: unknown, refused: Refused) => Promise<ApiResponse>
  /** Expects that refused requests have no effect, at once or later. */
  readonly expectNoEffect: () => Promise<void>
}

/** A refused request: the name in its body, if it has one, and what is wrong with it. */
export interface Refused {
  readonly name: string
  readonly what: string
}

/** A table of requests that are refused, each wrong in one way. Its defects are derived from it in `proof/`. */
export interface RefusalTable<Branch = unknown> {
  readonly arrange: Arrangement<Branch>
  readonly cases: Readonly<Record<string, Wrong<Branch> | Case<Branch> | CaseClass<Branch>>>
  readonly statuses: readonly Expected[]
  /** Assertions on a case that may be accepted and was. */
  readonly accepted?: ((context: Context, response: ApiResponse, body: unknown) => Promise<void>) | undefined
}

/** A table with its rule. */
export interface Registered<Table> {
  readonly id: RuleId
  readonly table: Table
}

const registered: Registered<RefusalTable>[] = []

/** Every refusal table, in the order of registration. */
export const refusalTables: readonly Registered<RefusalTable>[] = registered

/**
 * Registers a rule: each case is refused in each branch, and has no effect. An open row records the responses.
 * @param arrange the operation, a request of it that is valid, and the branches
 * @param statuses those of a refusal, such as 422
 * @param cases each with the one change that makes the valid request wrong
 * @param accepted judges a response that accepts a case, if the row permits that
 */
export function refusals<Branch>(
  id: RuleId,
  arrange: Arrangement<Branch>,
  statuses: readonly Expected[],
  cases: RefusalTable<Branch>['cases'],
  accepted?: RefusalTable<Branch>['accepted'],
): void {
  const table: RefusalTable<Branch> = { arrange, statuses, cases, accepted }
  registered.push({ id, table: table as RefusalTable })
  const isSampled = casesOf(table).some(({ member }) => member !== undefined)
  const varies = [...arrange.varies, 'order', ...(isSampled ? (['sample'] as const) : [])] as const
  const options = { ...arrange.options, each: arrange.each, varies }
  rule<Branch>(id, options, async (context, branch) => {
    const { check, part, reading, row, target, vary } = context
    const arranged = await arrange.begin(context, branch)
    for (const { name, wrong, statuses, needs } of vary.ordered(sampledCases(table, vary, branchName(branch)))) {
      if (needs !== undefined && !part(needs)) continue
      const valid = await arranged.valid()
      const body = wrongBody(wrong, valid, target, branch)
      if (body === undefined) continue
      const response = await orDropped(arranged.send(body, { name: String(valid.name), what: name }))
      expectStatus(check(name), response, statuses)
      if (response instanceof Dropped) return
      if (response.status < 300) await accepted?.(context, response, body)
      if (row.basis === 'open' || statuses.includes('2XX')) reading(name, readingOf(response))
    }
    await arranged.expectNoEffect()
  })
}

/** A table of valid requests, each with what must be visible afterwards. Its defects are derived as well. */
export interface AcceptTable<Branch = unknown> {
  readonly operation: (branch: Branch) => OperationId
  readonly each: (context: Pick<Context, 'part'>) => readonly Branch[]
  readonly varies: readonly Dimension[]
  /** A valid body of a branch. */
  readonly body: (context: Context, branch: Branch) => Promise<Members>
  readonly send: (context: Context, body: Members) => Promise<Accepted>
  /** Expects each of these members of the body in reads, a clause each. */
  readonly expectShown: (
    context: Context,
    response: ApiResponse,
    body: Members,
    names: readonly string[],
  ) => Promise<void>
  readonly cases: Readonly<Record<string, Members | ((valid: Members) => unknown)>>
  readonly shows: readonly string[]
}

/** The last response, to this body: the one of the case, or one within the bounds of the platform. */
export interface Accepted {
  readonly response: ApiResponse
  readonly body: Members
  /** Members that are refused with every value that was tried. */
  readonly left?: readonly string[]
}

const accepting: Registered<AcceptTable>[] = []

/** Every table of accepted requests, in the order of registration. */
export const acceptTables: readonly Registered<AcceptTable>[] = accepting

/** Registers a rule: each case is accepted in each branch, and reads show it. */
export function accepts<Branch>(id: RuleId, table: AcceptTable<Branch>): void {
  accepting.push({ id, table: table as AcceptTable })
  rule<Branch>(id, { each: table.each, varies: [...table.varies, 'order'] }, async (context, branch) => {
    const allLeft: string[] = []
    for (const [, change] of context.vary.ordered(Object.entries(table.cases))) {
      const wanted = bodyOf(change, await table.body(context, branch), context.target, branch) as Members
      const { response, body, left = [] } = await table.send(context, wanted)
      context.check('accepted').success(response)
      await table.expectShown(context, response, body, table.shows)
      allLeft.push(...left)
    }
    if (allLeft.length > 0) context.inconclusive(`refused with every value that was tried: ${allLeft.join(', ')}`)
  })
}

/** A case that is answered with other statuses than the rest of its table. */
export function refusedWith<Branch>(statuses: readonly Expected[], wrong: Wrong<Branch>): Case<Branch> {
  return { statuses, wrong }
}

/** A case that is left out if the target lacks something. */
export function needing<Branch>(needs: string, wrong: Wrong<Branch>): Case<Branch> {
  return { needs, wrong }
}

/** Cases that are wrong in the same way: a run tries one of them. */
export function anyOf<Branch>(members: CaseClass<Branch>['members']): CaseClass<Branch> {
  return { members }
}

/** A member for each way to alter an id, except the usual one, which is a case of its own. */
export function likeOther<Branch>(
  wrong: (change: (id: string) => string) => Wrong<Branch>,
): CaseClass<Branch>['members'] {
  const others = Object.entries(likeTexts).filter(([, change]) => change !== mutate)
  return Object.fromEntries(others.map(([name, change]) => [name, wrong(change)]))
}

/** The cases of a table that a run tries: one of each class, drawn for each branch. */
function sampledCases<Branch>(
  table: Pick<RefusalTable<Branch>, 'cases' | 'statuses'>,
  vary: Variation,
  branch = '',
): readonly NamedCase<Branch>[] {
  return [...Map.groupBy(casesOf(table), ({ name }) => name)].flatMap(([name, all]) =>
    all.length === 1 ? all : (vary.sample(`${name} ${branch}`.trim(), all, ({ member = '' }) => member) ?? []),
  )
}

/** The cases of a table, each with its statuses; of a class every member. */
export function casesOf<Branch>({
  cases,
  statuses,
}: Pick<RefusalTable<Branch>, 'cases' | 'statuses'>): readonly NamedCase<Branch>[] {
  return Object.entries(cases).flatMap(([name, one]): NamedCase<Branch>[] => {
    if (!isClass(one)) return [{ name, statuses, ...(isCase(one) ? one : { wrong: one }) }]
    return Object.entries(one.members).map(([member, wrong]) => ({ name, member, statuses, wrong }))
  })
}

/** A case under the name of its clause; `member` is its name in a class. */
interface NamedCase<Branch> extends Case<Branch> {
  readonly name: string
  readonly member?: string
  readonly statuses: readonly Expected[]
}

/** The body of a case; undefined if the case does not fit, or its body equals the valid one. */
export function wrongBody<Branch>(wrong: Wrong<Branch>, valid: Members, target: Target, branch: Branch): unknown {
  if (isText(wrong)) return raw(wrong.text(JSON.stringify(valid)))
  const body = bodyOf(wrong, valid, target, branch)
  return body === undefined || isSame(body, valid) ? undefined : body
}

/** True if a body is that of a case, made of this valid body. */
export function isMadeOf<Branch>(
  valid: Members,
  wrong: Wrong<Branch>,
  body: unknown,
  target: Target,
  branch: Branch,
): boolean {
  if (isText(wrong)) return false
  const made = bodyOf(wrong, valid, target, branch)
  return made !== undefined && isSame(made, body)
}

function bodyOf<Branch>(wrong: Exclude<Wrong<Branch>, WrongText>, valid: Members, target: Target, branch: Branch) {
  return typeof wrong === 'function' ? wrong(valid, target, branch) : { ...valid, ...wrong }
}

export function isText(wrong: Wrong): wrong is WrongText {
  return typeof wrong === 'object' && typeof wrong.text === 'function'
}

/** True for two bodies of the same JSON, in any order of their members. */
function isSame(a: unknown, b: unknown): boolean {
  return canonical(JSON.parse(JSON.stringify(a))) === canonical(b)
}

/** A body with another value at a path such as `mounts.network.0.path`; without the member if no value is given. */
export function put(path: string, value?: unknown): (valid: Members) => unknown {
  const steps = path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step))
  return (valid) => replaced(valid, steps, value)
}

/** Expects a response with one of these statuses or classes. */
export function expectStatus(check: Check, response: ApiResponse | Dropped, expected: readonly Expected[]): void {
  const status = response instanceof Dropped ? null : response.status
  const isMet = expected.some((one) => status !== null && (one === status || one === `${Math.floor(status / 100)}XX`))
  if (!isMet && !(response instanceof Dropped)) inconclusiveIfOutage(response)
  const observed = status === null ? 'no complete response' : `status ${status}`
  check.that(isMet, `status ${expected.join(' or ')}`, observed, response)
}

function isCase<Branch>(one: Wrong<Branch> | Case<Branch>): one is Case<Branch> {
  return typeof one === 'object' && 'wrong' in one
}

function isClass<Branch>(one: Wrong<Branch> | Case<Branch> | CaseClass<Branch>): one is CaseClass<Branch> {
  return typeof one === 'object' && 'members' in one
}

/** A response as a reading: whether it accepts the request, or the status of the refusal. */
export function readingOf({ status }: ApiResponse): string {
  return status < 300 ? 'accepted' : String(status)
}
