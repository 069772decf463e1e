import type { RuleId } from '../../generated/rules.ts'
import { raw } from '../../harness/client/body.ts'
import type { Reply } from '../../harness/client/reply.ts'
import type { PodOperation } from '../../harness/exchange/exchange.ts'
import { canonical, type Members, membersOf } from '../../harness/exchange/read.ts'
import { type Check, refuseOutage } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import type { Dimension } from '../../harness/variation/dimensions.ts'
import type { Target } from '../../target/types.ts'

/** A status, or a class of them. */
export type Expected = number | '2xx' | '4xx'

/**
 * What makes a valid body wrong: other members, a function, or the text that is sent in place of its JSON. Doing it twice
 * is as good as once, so a body tells which case it is. A function returns null for a target that it does not fit.
 */
export type Wrong = Members | WrongBody | WrongText

export type WrongBody = (valid: Members, target: Target) => unknown

export interface WrongText {
  readonly text: (json: string) => string
}

/** A case with answers of its own. */
export interface RefusedWith {
  readonly wrong: Wrong
  readonly statuses: readonly Expected[]
}

/** How the requests of a table are made: the operation, its branches, and what is there before the first request. */
export interface Arrangement<Branch> {
  readonly operation: PodOperation
  /** The branches on offer, by the needs of the target. */
  readonly each: (has: (need: string) => boolean) => readonly Branch[]
  readonly varies: readonly Dimension[]
  /** Shows that a valid request succeeds. */
  readonly begin: (context: Context, branch: Branch) => Promise<Arranged>
}

/** One branch after its valid request. */
export interface Arranged {
  /** The body that was accepted, with a name of its own. */
  readonly valid: () => Promise<Members>
  /** Sends a body that must be refused: the valid one of this name with something wrong. */
  readonly send: (body: unknown, refused: Refused) => Promise<Reply>
  /** Expects that nothing which was refused is carried out, at once or later. */
  readonly expectNoEffect: () => Promise<void>
}

/** A request that was refused: the name in its body, and what is wrong with it. */
export interface Refused {
  readonly name: string
  readonly what: string
}

/** A table of requests that are refused, each wrong in one way. Its defects are derived from it in `proof/`. */
export interface RefusalTable<Branch = unknown> {
  readonly arrange: Arrangement<Branch>
  readonly cases: Readonly<Record<string, Wrong | RefusedWith>>
  readonly statuses: readonly Expected[]
  /** Expects what has to be true of a pod if a case may be accepted. */
  readonly accepted?: (context: Context, reply: Reply, body: unknown) => Promise<void>
}

/** A table with its rule. */
export interface Registered<Table> {
  readonly id: RuleId
  readonly table: Table
}

const registered: Registered<RefusalTable>[] = []

/** Every refusal table, in the order of registration. */
export function refusalTables(): readonly Registered<RefusalTable>[] {
  return registered
}

/** Registers a rule: each case is refused in each branch, and has no effect. An open row records the answers. */
export function refusals<Branch>(id: RuleId, table: RefusalTable<Branch>): void {
  const { arrange } = table
  registered.push({ id, table: table as RefusalTable })
  rule<Branch>(
    id,
    async (context, branch) => {
      const { check, reading, row, target, vary } = context
      const arranged = await arrange.begin(context, branch)
      for (const { name, wrong, statuses } of vary.ordered(casesOf(table))) {
        const valid = await arranged.valid()
        const body = wrongBody(wrong, valid, target)
        if (body === null) continue
        const reply = await arranged.send(body, { name: String(valid.name), what: name })
        expectAnswer(check(name), reply, statuses)
        if (reply.status < 300) await table.accepted?.(context, reply, body)
        if (row.basis === 'open' || statuses.includes('2xx')) reading(name, readingOf(reply))
      }
      await arranged.expectNoEffect()
    },
    { each: ({ part }) => arrange.each(part), varies: [...arrange.varies, 'order'] },
  )
}

/** A table of valid requests, each with what must be visible afterwards. Its defects are derived as well. */
export interface AcceptTable<Branch = unknown> {
  readonly operation: PodOperation
  readonly each: (has: (need: string) => boolean) => readonly Branch[]
  readonly varies: readonly Dimension[]
  /** A valid body of a branch. */
  readonly body: (context: Context, branch: Branch) => Promise<Members>
  readonly send: (context: Context, body: Members) => Promise<Reply>
  /** Expects each of these members of the body in reads, a clause each. */
  readonly expectShown: (context: Context, reply: Reply, body: Members, names: readonly string[]) => Promise<void>
  readonly cases: Readonly<Record<string, Members | ((valid: Members) => unknown)>>
  readonly shows: readonly string[]
}

const accepting: Registered<AcceptTable>[] = []

/** Every table of accepted requests, in the order of registration. */
export function acceptTables(): readonly Registered<AcceptTable>[] {
  return accepting
}

/** Registers a rule: each case is accepted in each branch, and reads show it. */
export function accepts<Branch>(id: RuleId, table: AcceptTable<Branch>): void {
  accepting.push({ id, table: table as AcceptTable })
  rule<Branch>(
    id,
    async (context, branch) => {
      for (const [, change] of context.vary.ordered(Object.entries(table.cases))) {
        const body = madeWrong(change, await table.body(context, branch), context.target) as Members
        const reply = await table.send(context, body)
        context.check('accepted').success(reply)
        await table.expectShown(context, reply, body, table.shows)
      }
    },
    { each: ({ part }) => table.each(part), varies: [...table.varies, 'order'] },
  )
}

/** A case that is answered otherwise than the rest of its table. */
export function refusedWith(statuses: readonly Expected[], wrong: Wrong): RefusedWith {
  return { statuses, wrong }
}

/** The cases of a table, each with its statuses. */
export function casesOf({
  cases,
  statuses,
}: Pick<RefusalTable, 'cases' | 'statuses'>): readonly (RefusedWith & { readonly name: string })[] {
  return Object.entries(cases).map(([name, one]) =>
    hasOwnStatuses(one) ? { name, ...one } : { name, wrong: one, statuses },
  )
}

/** The body of a case; null if the case does not fit the target, or is no other body than the valid one. */
export function wrongBody(wrong: Wrong, valid: Members, target: Target): unknown {
  if (isText(wrong)) return raw(wrong.text(JSON.stringify(valid)))
  const body = madeWrong(wrong, valid, target)
  return isSame(body, valid) ? null : body
}

/** Whether a body is that of a case. */
export function isWrongBody(wrong: Wrong, body: Members, target: Target): boolean {
  return !isText(wrong) && isSame(madeWrong(wrong, body, target), body)
}

function madeWrong(wrong: Exclude<Wrong, WrongText>, valid: Members, target: Target): unknown {
  return typeof wrong === 'function' ? wrong(valid, target) : { ...valid, ...wrong }
}

export function isText(wrong: Wrong): wrong is WrongText {
  return typeof wrong === 'object' && typeof wrong.text === 'function'
}

/** Whether two bodies are the same JSON, in any order of their members. */
function isSame(a: unknown, b: unknown): boolean {
  return a !== null && canonical(JSON.parse(JSON.stringify(a))) === canonical(b)
}

/** A body with another value at a path such as `mounts.network.0.path`; without the member if no value is given. */
export function put(path: string, value?: unknown): (valid: Members) => unknown {
  return (valid) => replaced(valid, path.split('.'), value)
}

function replaced(value: unknown, [step, ...rest]: readonly string[], wanted: unknown): unknown {
  if (step === undefined) return wanted
  if (Array.isArray(value)) return value.map((item, at) => (String(at) === step ? replaced(item, rest, wanted) : item))
  const members = membersOf(value)
  return { ...members, [step]: replaced(members?.[step], rest, wanted) }
}

/** Expects an answer of these statuses and classes. */
function expectAnswer(check: Check, reply: Reply, expected: readonly Expected[]): void {
  const isMet = expected.some((one) => one === reply.status || one === `${Math.floor(reply.status / 100)}xx`)
  if (!isMet) refuseOutage(reply)
  check.that(isMet, `status ${expected.join(' or ')}`, `status ${reply.status}`, reply)
}

function hasOwnStatuses(one: Wrong | RefusedWith): one is RefusedWith {
  return typeof one === 'object' && 'wrong' in one
}

function readingOf({ status }: Reply): string {
  return status < 300 ? 'accepted' : String(status)
}
