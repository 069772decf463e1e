import { isOfTrial } from '../harness/client/connections.ts'
import { type Exchange, headerOf, isSuccess, jsonOf, textOf } from '../harness/exchange/exchange.ts'
import { isOwnerOf, isRule } from '../harness/exchange/owner-names.ts'
import { idIn, listsIn, membersOf } from '../harness/exchange/read.ts'
import { allPlanes, madeBy, planeOfOperation } from '../harness/planes/index.ts'
import type { Plane } from '../harness/planes/plane.ts'
import type { EvidenceEvent, ExchangeEvent } from '../harness/record/events.ts'
import type { Finding } from '../harness/rule/outcome.ts'
import { mentionsStatusOf, type ShownResponse, showExchange, shownResponseOf, shownResponseText } from './shown.ts'
import type { ShownExchange, ShownPolls } from './types.ts'

/** Most exchanges of a scenario. */
const scenarioExchanges = 30
/** How many bytes the request bodies may have that are kept for the shell lines of a run, all together. */
const keptBodyBytes = 64 * 1024 * 1024

/** Reads the events of a record from the beginning; called once per pass. */
export type Events = () => AsyncIterable<EvidenceEvent>

/** A recorded exchange with its bodies as bytes. */
export type OpenExchange = (event: ExchangeEvent) => Exchange

/** A rule whose scenario is requested, and the exchanges that its findings name. */
export interface Failing {
  readonly rule: string
  readonly evidence: readonly number[]
  /** The first finding; null if there is none. */
  readonly finding: Finding | null
}

/** Something that an exchange made: its id, and which `"id": "…"` of the response it is, from 1. */
export interface Made {
  /** Its name in messages: `pod`, `job`. */
  readonly kind: string
  /** Path that removes it, with an `{id}`; null if it ends by itself. */
  readonly removal: string | null
  readonly id: string
  readonly position: number
}

/** One exchange of a scenario, with additional data for the shell lines. */
export interface Step {
  readonly shown: ShownExchange
  /** The request body; null if there was none or it exceeds `keptBodyBytes`. */
  readonly body: Uint8Array | null
  readonly answer: ShownResponse | null
  readonly made: Made | null
  /** The pod status whose hook was called for its pod just before; null if none was. */
  readonly hook: string | null
  /** It has to go out on the connection of the step before. */
  readonly isOnSameConnection: boolean
}

export interface Reproduction {
  readonly steps: readonly Step[]
  /** How many exchanges did not fit. */
  readonly omitted: number
}

/** A chosen exchange, as far as its steps need it. */
type Opened = Pick<Step, 'shown' | 'body' | 'isOnSameConnection'>

/** An exchange as far as the choice depends on it; its bodies are read again once it is chosen. */
interface Entry extends Pick<Step, 'answer' | 'made' | 'hook'> {
  readonly n: number
  readonly owner: string
  readonly operation: string
  readonly follows: number | null
  /** The pod or job that it is about: the one asked for, or the one created. */
  readonly subject: string | null
  /** True if it is about something submitted to an endpoint. */
  readonly isSubmission: boolean
  readonly isLook: boolean
  /** Equal for requests that are polls of each other. */
  readonly key: string
  readonly sentMs: number
  readonly polls: ShownPolls | null
  /** Ids in the list of the response. */
  readonly listed: readonly string[]
}

/**
 * The scenarios of failing rules, by rule: a rule's own exchanges, and those that made the pods that it touched. An
 * invariant sends nothing itself: its scenario is the history of the pods that its finding is about, else that of the
 * rule that sent the exchange. Reads the record twice.
 */
export async function gather(
  events: Events,
  open: OpenExchange,
  failing: readonly Failing[],
): Promise<Map<string, Reproduction>> {
  if (failing.length === 0) return new Map()
  const entries = await entriesOf(events, open)
  const chosen = failing.map((one) => ({ rule: one.rule, ...cut(fold(choose(one, entries), one), one) }))
  const wanted = new Set(chosen.flatMap(({ kept }) => kept.map(({ n }) => n)))
  const opened = new Map<number, Opened>()
  let spareBytes = keptBodyBytes
  for await (const event of events()) {
    if (event.type !== 'exchange' || !wanted.has(event.n)) continue
    const exchange = open(event)
    const { body } = exchange.request
    const kept = body === null || body.length > spareBytes ? null : body
    spareBytes -= kept?.length ?? 0
    const isOnSameConnection = isOfTrial(exchange) && exchange.follows !== undefined
    opened.set(event.n, { shown: showExchange(exchange), body: kept, isOnSameConnection })
  }
  return new Map(chosen.map(({ rule, kept, omitted }) => [rule, { steps: stepsOf(kept, opened), omitted }]))
}

async function entriesOf(events: Events, open: OpenExchange): Promise<Entry[]> {
  const entries: Entry[] = []
  let target: unknown = null
  const hooks = new Map<string, string>()
  const ids = new Set<string>()
  for await (const event of events()) {
    if (event.type === 'run') target = event.target
    if (event.type === 'hook') hooks.set(event.pod, event.status)
    if (event.type !== 'exchange') continue
    const exchange = open(event)
    const { n, owner, operation, endpoint, request, response, sent, follows = null } = exchange
    const made = madeIn(exchange, target)
    if (made !== null) ids.add(made.id)
    const subject = made?.id ?? exchange.subject ?? segmentsOf(request.url).find((one) => ids.has(one)) ?? null
    entries.push({
      n,
      owner,
      operation,
      follows,
      subject,
      isSubmission: endpoint !== undefined,
      isLook: request.method === 'GET',
      key: [owner, request.method, request.url, headerOf(request.headers, 'authorization')].join(' '),
      sentMs: sent.target,
      polls: null,
      answer: shownResponseOf(exchange),
      made,
      hook: hooks.get(subject ?? '') ?? null,
      listed:
        response === null || !allPlanes().some(({ creates }) => creates?.list === operation)
          ? []
          : listsIn(jsonOf(response.body)).flatMap((list) => list.flatMap((each) => idIn(each) ?? [])),
    })
    hooks.delete(subject ?? '')
  }
  return entries
}

/** Parts of the path of a request; odd requests have the id of their resource only there. */
function segmentsOf(url: string): string[] {
  return url.replace(/\?.*$/, '').split(/\/|%2F/i)
}

/**
 * Exchanges that tell how a rule failed, in their order, up to the last one that a finding names: those of the rule
 * without the resources that the first of them does not refer to, and what fixtures did before to those that remain. A
 * target may give one id to several resources, so those of other rules are left out.
 */
function choose({ rule, evidence, finding }: Failing, entries: readonly Entry[]): readonly Entry[] {
  const at = entries.find(({ n }) => n === evidence[0])
  const isOwn = entries.some(({ owner }) => owner === rule)
  if (at !== undefined && isAlone(rule, at, finding)) return [at]
  if (at !== undefined && isOfTrial(at)) return entries.filter(({ n }) => n === at.follows || n === at.n)
  if (!isOwn && at === undefined) return []
  const shows = new Set(isOwn ? evidence : evidence.slice(0, 1))
  const before = shows.size === 0 ? entries : entries.filter(({ n }) => n <= Math.max(...shows))
  const owner = isOwn ? rule : (at?.owner ?? '')
  const isList = !isOwn && at?.listed.length !== 0
  const isOfPod = !isOwn && !isList && at?.subject !== null
  const made = new Set(before.flatMap((one) => (one.owner === owner ? (one.made?.id ?? []) : [])))
  const isActed = (one: Entry) => one.owner === owner && !one.isLook && one.made === null && made.has(one.subject ?? '')
  const acted = new Set(before.filter(isActed).map(({ subject }) => subject))
  const isRelated = (one: Entry) => one.owner === owner && !isList && !isOfPod && isRule(owner)
  const isWhole = (one: Entry) => isRelated(one) && isNeeded(one, at, acted)
  const subjects = isOfPod ? [at?.subject] : before.filter(isWhole).map(({ subject }) => subject)
  const ids = isList ? (at?.listed ?? []) : subjects.filter((id) => id != null)
  const begins = new Map([...new Set(ids)].map((id) => [id, beginningOf(id, before, isOwn ? owner : null)]))
  const isForIt = (one: Entry) =>
    isList || one.owner === owner || isOwnerOf(one.owner, 'fixture') || (!isOwn && one.made !== null)
  const isOfLife = ({ subject, n }: Entry) => subject === null || n >= (begins.get(subject) ?? 0)
  return before.filter(
    (one) =>
      shows.has(one.n) ||
      (isOfLife(one) && (isWhole(one) || (one.subject !== null && begins.has(one.subject) && isForIt(one)))),
  )
}

/**
 * True if the exchange of a finding may depend on another one of its rule. A creation needs no other resource unless a
 * quota counts them all; any other request needs those that it lists, and those that the rule never acted on, which
 * it made to have them beside its own.
 */
function isNeeded(one: Entry, at: Entry | undefined, acted: ReadonlySet<string | null>): boolean {
  const creates = at === undefined ? null : planeOfOperation(at.operation).creates
  if (at === undefined || creates === null || at.answer?.status === 429) return true
  if (creates.areCounted === true || at.operation === creates.list) return true
  if (at.operation === creates.create) return one === at || (one.subject !== null && one.subject === at.subject)
  return one.subject === at.subject || !acted.has(one.subject)
}

/**
 * The number of the first creation of a resource by its rule, else of the last one before the rule's first request about
 * it; 0 if the record has none. `owner` is null for an invariant: the last creation.
 */
function beginningOf(id: string, entries: readonly Entry[], owner: string | null): number {
  const about = entries.filter(({ subject }) => subject === id)
  const makers = about.filter(({ made }) => made !== null)
  if (owner === null) return makers.at(-1)?.n ?? 0
  const own = makers.find((one) => one.owner === owner)
  if (own !== undefined) return own.n
  const first = about.find((one) => one.owner === owner)?.n ?? 0
  return makers.findLast(({ n }) => n < first)?.n ?? 0
}

/**
 * True if the exchange of a finding shows it alone: the response to a body depends on it alone, unless a rate
 * was exceeded. The job of an accepted body depends on others as well.
 */
function isAlone(rule: string, { operation, answer, made }: Entry, finding: Finding | null): boolean {
  const isOfBodies = rule.split('.')[1] === 'body' && madeBy(operation)?.plane.creates === null
  if (!isOfBodies || answer === null || answer.status === 429) return false
  return made === null || (finding !== null && mentionsStatusOf(finding, answer))
}

/** Polls as one entry, and so the same request again after a 429. Polls of several pods may take turns. */
function fold(entries: readonly Entry[], { evidence }: Failing): Entry[] {
  const kept: Entry[] = []
  for (const entry of entries) {
    const others = kept.length - 1 - kept.findLastIndex(({ isLook }) => !isLook)
    const near = kept.slice(entry.isLook ? -Math.max(others, 1) : -1)
    const before = near.findLast(
      ({ n, key, isLook, answer }) => key === entry.key && (isLook || answer?.status === 429) && !evidence.includes(n),
    )
    const isPoll = before !== undefined && entry.hook === null
    if (isPoll) kept.splice(kept.indexOf(before), 1)
    kept.push(isPoll ? folded(before, entry) : entry)
  }
  return kept
}

function folded(before: Entry, entry: Entry): Entry {
  const from = shownResponseText(before.answer)
  const { count, ...since } = before.polls ?? { count: 1, sinceMs: before.sentMs, from }
  return { ...entry, hook: before.hook, polls: { ...since, count: count + 1, to: shownResponseText(entry.answer) } }
}

/**
 * At most 30 entries: those about the pod of the finding if it was made here, without the oldest refusals and looks. A pod
 * whose creation is left out is left out with all its requests.
 */
function cut(entries: readonly Entry[], { evidence }: Failing): { kept: readonly Entry[]; omitted: number } {
  const at = entries.find(({ n }) => n === evidence[0])
  const isInFocus = (one: Entry) => one === at || one.subject === at?.subject
  const isMade = at?.isSubmission === false && entries.some((one) => one.made !== null && isInFocus(one))
  const few = entries.length > scenarioExchanges && isMade ? entries.filter(isInFocus) : entries
  // What made the subject of the failure is worth more than all else.
  const worth = (one: Entry) => (at !== undefined && one.made?.id === at.subject ? 4 : worthOf(one))
  const spare = few.filter((one) => one !== at).sort((a, b) => worth(a) - worth(b) || a.n - b.n)
  const out = new Set(spare.slice(0, Math.max(0, few.length - scenarioExchanges)))
  const lost = new Set([...out].flatMap(({ made }) => made?.id ?? []))
  const kept = few.filter((one) => one === at || !(out.has(one) || lost.has(one.subject ?? '')))
  const size = (some: readonly Entry[]) => some.reduce((sum, { polls }) => sum + (polls?.count ?? 1), 0)
  return { kept, omitted: size(entries) - size(kept) }
}

/** How much a scenario needs an entry. */
function worthOf({ isLook, made, polls, answer }: Entry): number {
  if (made !== null) return 3
  if (isLook) return polls === null || polls.from === polls.to ? 1 : 2
  return answer !== null && isSuccess(answer.status) ? 3 : 0
}

/** Entries with their exchanges. A wait is the time since the step before, unless its owner had not begun yet. */
function stepsOf(entries: readonly Entry[], opened: ReadonlyMap<number, Opened>): Step[] {
  const begun = new Set<string>()
  let seenMs = 0
  return entries.flatMap(({ n, owner, polls, answer, made, hook, sentMs }) => {
    const one = opened.get(n)
    if (one === undefined) return []
    const waitedMs = begun.has(owner) ? Math.max(0, (polls?.sinceMs ?? sentMs) - seenMs) : 0
    begun.add(owner)
    seenMs = one.shown.receivedMs
    return { ...one, shown: { ...one.shown, waitedMs, polls }, answer, made, hook }
  })
}

function madeIn({ operation, response }: Exchange, target: unknown): Made | null {
  const making = madeBy(operation)
  if (making === null || response === null || !isSuccess(response.status)) return null
  const id = idIn(jsonOf(response.body))
  const ids = [...(textOf(response.body) ?? '').matchAll(/"id"\s*:\s*"([^"]*)"/g)].map((match) => match[1])
  return id !== null && ids.includes(id)
    ? { kind: making.kind, removal: removalOf(making.plane, target), id, position: ids.indexOf(id) + 1 }
    : null
}

/** The path that removes a resource of a plane, in the target that was recorded; null if nothing is removed there. */
function removalOf({ name, creates, operations }: Plane, target: unknown): string | null {
  if (creates === null) return null
  const path = membersOf(membersOf(membersOf(target)?.[name])?.paths)?.[creates.remove]
  return typeof path === 'string' ? path : (operations[creates.remove]?.path ?? null)
}
