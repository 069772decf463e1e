import { type Exchange, headerOf, isSuccess, jsonOf, textOf } from '../harness/exchange/exchange.ts'
import { membersOf } from '../harness/exchange/read.ts'
import type { HookEvent } from '../harness/record/events.ts'
import { type Answer, answerOf, answerText, showExchange } from './shown.ts'
import type { ShownExchange } from './types.ts'

/** Most exchanges of a scenario. */
export const scenarioExchanges = 30
/** Largest request body, in bytes, that is kept whole for the shell lines. */
export const keptBodyBytes = 16 * 1024

/** The selection of exchanges that show how a rule failed. */
export interface Wanted {
  readonly rule: string
  /** The sender: the rule, or for an invariant the scenario in which it failed. */
  readonly owner: string
  /** True for everything that the owner sent; else only exchanges about `pods`. */
  readonly whole: boolean
  readonly pods: ReadonlySet<string>
  /** The pod of the first finding: the other pods are left out if not all fit. */
  readonly focus: string | null
  /** Numbers of the exchanges that findings name, the first finding's first. */
  readonly evidence: readonly number[]
}

/** A pod or job that an exchange created: its id, and the position of its `"id": "…"` in the response, from 1. */
export interface Made {
  readonly kind: 'pod' | 'job'
  readonly id: string
  readonly position: number
}

/** One exchange of a scenario, with additional data for the shell lines. */
export interface Step {
  readonly shown: ShownExchange
  /** The request body; null if there was none or it is longer than `keptBodyBytes`. */
  readonly body: Uint8Array | null
  readonly answer: Answer | null
  readonly made: Made | null
  /** The hook that ran for its pod since the last step about that pod; null without one. */
  readonly hook: HookEvent | null
}

/** Gathers the scenario of one rule from the exchanges of a run, a bounded number at a time. */
export interface Collector {
  /** True if an exchange about this pod belongs to the scenario. */
  wants(
    exchange: { readonly n: number; readonly owner: string; readonly operation: string },
    pod: string | null,
  ): boolean
  exchange(exchange: Exchange): void
  /** The end of a wait of `owner`. */
  waited(owner: string, nowMs: number): void
  /** A hook was run. */
  hooked(hook: HookEvent): void
  steps(): { readonly steps: readonly Step[]; readonly omitted: number }
}

export function createCollector({ owner, whole, pods, focus, evidence }: Wanted): Collector {
  const shows = new Set(evidence)
  const first = evidence[0]
  const kept: Step[] = []
  const hooks = new Map<string, HookEvent>()
  let omitted = 0
  let complete = false
  let focused = false
  let seenMs: number | null = null
  let waitedMs = 0

  function add(step: Step): void {
    if (focused && !isInFocus(step)) {
      omitted++
      return
    }
    const last = kept.at(-1)
    if (last !== undefined && folds(last, step) && !shows.has(last.shown.n)) {
      kept[kept.length - 1] = folded(last, step)
      return
    }
    kept.push(step)
    if (kept.length <= scenarioExchanges) return
    if (!focused && kept.some(({ made }) => made !== null && made.id === focus)) {
      focused = true
      const rest = kept.filter(isInFocus)
      omitted += kept.length - rest.length
      kept.splice(0, kept.length, ...rest)
      if (kept.length <= scenarioExchanges) return
    }
    omitted++
    kept.splice(complete ? kept.length - 1 : dispensable(), 1)
  }

  function isInFocus({ shown, made }: Step): boolean {
    return shown.n === first || (made?.id ?? shown.subject) === focus
  }

  /** The oldest refused step, else one that only reads, else any that neither creates a pod nor is evidence. */
  function dispensable(): number {
    const spare = kept
      .map((one, at) => ({ one, at }))
      .filter(({ one }) => one.made === null && one.hook === null && !shows.has(one.shown.n))
    const refused = spare.find(({ one }) => one.shown.request.method !== 'GET' && (one.answer?.status ?? 0) >= 400)
    const looked = spare.find(({ one }) => one.shown.request.method === 'GET' && one.shown.owner === owner)
    return (refused ?? looked ?? spare[0])?.at ?? 0
  }

  return {
    wants(exchange, pod) {
      if (shows.has(exchange.n)) return true
      const concerns = pod !== null && pods.has(pod)
      if (exchange.owner === owner) return whole || concerns
      return concerns && (exchange.owner.startsWith('fixture:') || creates(exchange.operation))
    },
    exchange(exchange) {
      const own = exchange.owner === owner
      add(toStep(exchange, own ? waitedMs : 0, hooks))
      if (exchange.n === first) complete = true
      if (!own) return
      seenMs = exchange.received.target
      waitedMs = 0
    },
    waited(by, nowMs) {
      if (by !== owner) return
      if (seenMs !== null) waitedMs += Math.max(0, nowMs - seenMs)
      seenMs = nowMs
    },
    hooked(hook) {
      if ((whole && hook.owner === owner) || pods.has(hook.pod)) hooks.set(hook.pod, hook)
    },
    steps() {
      const end = kept.findLastIndex(({ shown }) => shown.owner === owner || shows.has(shown.n))
      return { steps: kept.slice(0, end + 1), omitted }
    },
  }
}

/** The resource that each creating operation creates. */
const makes: Readonly<Record<string, Made['kind']>> = { createPod: 'pod', runJob: 'job', runJobSync: 'job' }

/** True if an operation creates a pod or a job. */
export function creates(operation: string): boolean {
  return Object.hasOwn(makes, operation)
}

/** The pod or job in the response to a creation; null without one. */
export function madeBy({ operation, response }: Exchange): Made | null {
  const kind = makes[operation]
  if (kind === undefined || response === null || !isSuccess(response.status)) return null
  const id = membersOf(jsonOf(response.body))?.id
  const matches = [...(textOf(response.body) ?? '').matchAll(/"id"\s*:\s*"([^"]*)"/g)].map((match) => match[1])
  return typeof id === 'string' && matches.includes(id)
    ? { kind, id, position: topLevel(response.body, id, matches) }
    : null
}

/** Objects inside the pod (a gpu, a flavor) have ids too: those before the pod's own are counted. */
function topLevel(body: Uint8Array, id: string, matches: readonly (string | undefined)[]): number {
  const value = membersOf(jsonOf(body)) ?? {}
  let before = 0
  for (const [name, member] of Object.entries(value)) {
    if (name === 'id') break
    before += [...JSON.stringify(member).matchAll(/"id"\s*:\s*"([^"]*)"/g)].length
  }
  return matches[before] === id ? before + 1 : matches.indexOf(id) + 1
}

/**
 * An exchange as a step; `waitedMs` is how long its owner waited before it. The hook of its pod, if one ran, is
 * removed from `hooks`.
 */
export function toStep(exchange: Exchange, waitedMs: number, hooks: Map<string, HookEvent>): Step {
  const { body } = exchange.request
  const pod = exchange.subject ?? ''
  const hook = hooks.get(pod) ?? null
  hooks.delete(pod)
  return {
    hook,
    shown: { ...showExchange(exchange), waitedMs },
    body: body === null || body.length > keptBodyBytes ? null : body,
    answer: answerOf(exchange),
    made: madeBy(exchange),
  }
}

/** True if the next step is the same as the last: a poll, or the same request again after a 429. */
export function folds({ shown: last, answer }: Step, { shown: next, hook }: Step): boolean {
  if (hook !== null) return false
  const again = next.request.method === 'GET' || answer?.status === 429
  return again && last.owner === next.owner && sameRequest(last.request, next.request)
}

function sameRequest(a: ShownExchange['request'], b: ShownExchange['request']): boolean {
  const key = (message: ShownExchange['request']) => headerOf(message.headers, 'authorization')
  return (
    a.method === b.method && a.url === b.url && a.body === b.body && a.bodyBytes === b.bodyBytes && key(a) === key(b)
  )
}

/** Folds two such steps into one. */
export function folded(last: Step, next: Step): Step {
  const { polls, sentMs, waitedMs } = last.shown
  const to = answerText(next.answer)
  const sum = polls ?? { count: 1, sinceMs: sentMs, from: answerText(last.answer) }
  return { ...next, hook: last.hook, shown: { ...next.shown, waitedMs, polls: { ...sum, count: sum.count + 1, to } } }
}
