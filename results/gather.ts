import type { Exchange } from '../harness/exchange/exchange.ts'
import type { EvidenceEvent, ExchangeEvent } from '../harness/record/events.ts'
import type { Finding } from '../harness/rule/outcome.ts'
import { createListCollector, listedIn, type WantedList } from './listed.ts'
import { createCollector, creates, madeBy, type Step, type Wanted } from './scenario.ts'
import { answerOf, tellsStatusOf } from './shown.ts'

/** Reads the events of a record from the beginning; called once per pass. */
export type Events = () => AsyncIterable<EvidenceEvent>

/** A recorded exchange with its bodies as bytes. */
export type OpenExchange = (event: ExchangeEvent) => Exchange

/** A rule whose scenario is requested, and the exchanges that its findings name. */
export interface Failing {
  readonly rule: string
  readonly evidence: readonly number[]
  /** The observation of the first finding; null without one. */
  readonly finding: Finding | null
}

export interface Scenario {
  readonly steps: readonly Step[]
  readonly omitted: number
}

interface Trace {
  /** Owner to the pods that it touched; owners without an exchange are missing. */
  readonly touched: Map<string, Set<string>>
  /** Number of an exchange to its owner, its pod, and the pods that it lists. */
  readonly located: Map<
    number,
    {
      readonly owner: string
      readonly pod: string | null
      readonly focus: string | null
      readonly listed: readonly string[]
      /** No earlier request led to it. */
      readonly isAlone: boolean
    }
  >
}

/**
 * The scenarios of failing rules, by rule: a rule's own exchanges and those that made the pods that it touched. For an
 * invariant, which sends nothing: those of the scenario in which it failed, or, if a list shows the failure, those that
 * made the pods of that list. Reads the record two or three times;
 * holds at most 30 exchanges per rule.
 */
export async function gather(
  events: Events,
  open: OpenExchange,
  failing: readonly Failing[],
): Promise<Map<string, Scenario>> {
  if (failing.length === 0) return new Map()
  const first = await trace(events, open, new Set(failing.map(({ rule }) => rule)), failing)
  const borrowed = failing.flatMap((one) => borrowedOwner(one, first) ?? [])
  const second = borrowed.length === 0 ? first : await trace(events, open, new Set(borrowed), [])
  const wanted = failing.flatMap((one) => wantedOf(one, first, second) ?? [])
  return collect(events, open, wanted)
}

async function trace(
  events: Events,
  open: OpenExchange,
  owners: ReadonlySet<string>,
  failing: readonly Failing[],
): Promise<Trace> {
  const numbers = new Map(failing.flatMap(({ evidence, finding }) => evidence.slice(0, 1).map((n) => [n, finding])))
  const touched: Trace['touched'] = new Map()
  const located: Trace['located'] = new Map()
  for await (const event of events()) {
    if (event.type !== 'exchange') continue
    const { owner, n } = event
    if (!owners.has(owner) && !numbers.has(n)) continue
    const pod = podOf(event, open)
    if (numbers.has(n)) {
      // A job depends on the other jobs: they decide when its turn comes.
      const focus = event.endpoint === undefined ? pod : null
      const exchange = open(event)
      located.set(n, { owner, pod, focus, listed: listedIn(exchange), isAlone: isAlone(exchange, numbers.get(n)) })
    }
    if (owners.has(owner)) touch(touched, owner, pod)
  }
  return { touched, located }
}

/**
 * True if an exchange alone shows the failure of a rule about bodies: the response to a body depends only on the body,
 * unless a rate was exceeded; the job of an accepted body also depends on the other jobs.
 */
function isAlone(exchange: Exchange, finding: Finding | null | undefined): boolean {
  const answer = answerOf(exchange)
  if (!submits.has(exchange.operation) || answer === null || answer.status === 429) return false
  return madeBy(exchange) === null || (finding != null && tellsStatusOf(finding, answer))
}

const submits: ReadonlySet<string> = new Set(['runJob', 'runJobSync'])

function touch(touched: Trace['touched'], owner: string, pod: string | null): void {
  const pods = touched.get(owner) ?? new Set()
  touched.set(owner, pods)
  if (pod !== null) pods.add(pod)
}

/** The scenario in which an invariant failed, if no pod shows which of its exchanges matter. */
function borrowedOwner({ rule, evidence }: Failing, { touched, located }: Trace): string | null {
  const at = located.get(evidence[0] ?? -1)
  return touched.has(rule) || at === undefined || at.pod !== null || isShared(at.owner) ? null : at.owner
}

function wantedOf({ rule, evidence }: Failing, first: Trace, second: Trace): Wanted | WantedList | null {
  const own = first.touched.get(rule)
  const at = first.located.get(evidence[0] ?? -1)
  if (at?.isAlone === true && isAboutBodies(rule))
    return { rule, evidence: evidence.slice(0, 1), owner: at.owner, whole: false, pods: new Set(), focus: null }
  if (own !== undefined) return { rule, evidence, owner: rule, whole: true, pods: own, focus: at?.focus ?? null }
  if (at === undefined) return null
  const { owner, pod, listed } = at
  if (listed.length > 0) return { rule, evidence: evidence[0] ?? -1, pods: new Set(listed) }
  if (pod !== null)
    return { rule, evidence: evidence.slice(0, 1), owner, whole: false, pods: new Set([pod]), focus: null }
  const pods = second.touched.get(owner) ?? new Set<string>()
  return { rule, evidence: evidence.slice(0, 1), owner, whole: !isShared(owner), pods, focus: null }
}

/** Other rules fill an endpoint first, or use up the quota of a key. */
function isAboutBodies(rule: string): boolean {
  return rule.startsWith('queue.body.')
}

function isShared(owner: string): boolean {
  return /^(fixture|cleanup|probe)(:|$)/.test(owner)
}

async function collect(
  events: Events,
  open: OpenExchange,
  wanted: readonly (Wanted | WantedList)[],
): Promise<Map<string, Scenario>> {
  const collectors = wanted.map((one) => ({
    rule: one.rule,
    collector: 'whole' in one ? createCollector(one) : createListCollector(one),
  }))
  for await (const event of events()) {
    if (event.type === 'clock') for (const { collector } of collectors) collector.waited(event.owner, event.nowMs)
    if (event.type === 'hook') for (const { collector } of collectors) collector.hooked(event)
    if (event.type !== 'exchange') continue
    const pod = podOf(event, open)
    const takers = collectors.filter(({ collector }) => collector.wants(event, pod))
    if (takers.length === 0) continue
    const exchange = open(event)
    for (const { collector } of takers) collector.exchange(exchange)
  }
  return new Map(collectors.map(({ rule, collector }) => [rule, collector.steps()]))
}

/** The pod or job of an exchange: the requested one, or the created one. */
function podOf(event: ExchangeEvent, open: OpenExchange): string | null {
  if (event.subject !== null || !creates(event.operation) || event.response === null) return event.subject
  return madeBy(open(event))?.id ?? null
}
