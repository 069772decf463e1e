import type { Exchange } from '../harness/exchange/exchange.ts'
import type { EvidenceEvent, ExchangeEvent } from '../harness/record/events.ts'
import type { Finding } from '../harness/rule/outcome.ts'
import { createListCollector, listedIn, type WantedList } from './listed.ts'
import { createCollector, creates, madeBy, type Step, type Wanted } from './scenario.ts'
import { answerOf, tellsStatusOf } from './shown.ts'

/** Reads the events of a record from the beginning; called once a pass. */
export type Events = () => AsyncIterable<EvidenceEvent>

/** A recorded exchange with its bodies as bytes. */
export type OpenExchange = (event: ExchangeEvent) => Exchange

/** A rule whose scenario is wanted, and the exchanges that its findings name. */
export interface Failing {
  readonly rule: string
  readonly evidence: readonly number[]
  /** What the first finding says was wrong; null where there is none. */
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
      /** Nothing that was sent before led to it. */
      readonly isAlone: boolean
    }
  >
}

/**
 * The scenarios of failing rules, by rule. A rule's own exchanges, those that made the pods which it touched, and for an
 * invariant, which sends nothing itself, those of the scenario in which it failed, or where a list shows it, those that
 * made the pods of that list. Reads the record two or three times;
 * holds no more than 30 exchanges a rule.
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
      // A job does not stand alone: what the others do decides when its turn comes.
      const focus = event.endpoint === undefined ? pod : null
      const exchange = open(event)
      located.set(n, { owner, pod, focus, listed: listedIn(exchange), isAlone: isAlone(exchange, numbers.get(n)) })
    }
    if (owners.has(owner)) touch(touched, owner, pod)
  }
  return { touched, located }
}

/**
 * Whether an exchange shows what a rule about bodies finds wrong without any other: how a body is answered hangs on it
 * alone, unless a rate was exceeded; what an accepted one shows of its job hangs on the others as well.
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

/** The scenario in which an invariant failed, where no pod tells which of its exchanges matter. */
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

/** Other rules fill an endpoint first, or use up what a key may do. */
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

/** The pod or job that an exchange is about: the one asked for, or the one created. */
function podOf(event: ExchangeEvent, open: OpenExchange): string | null {
  if (event.subject !== null || !creates(event.operation) || event.response === null) return event.subject
  return madeBy(open(event))?.id ?? null
}
