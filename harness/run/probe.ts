import type { Target } from '../../target/types.ts'
import type { PodClient } from '../client/pods.ts'
import type { QueueClient } from '../client/queue.ts'
import type { Reply } from '../client/reply.ts'
import { headerOf, isSuccess, type Plane } from '../exchange/exchange.ts'
import { mediaTypeOf } from '../exchange/media-type.ts'
import { idIn, listsIn, membersOf } from '../exchange/read.ts'
import { noSuchPod } from '../fixtures/pods.ts'
import { Inconclusive } from '../rule/outcome.ts'
import type { Owner } from './owner.ts'

/** What one look at a plane showed before anything is created. */
export type Seen =
  /** Status of the answer to the first request. */
  | { readonly plane: Plane; readonly status: number }
  /** Why there was no answer. */
  | { readonly plane: Plane; readonly failure: string }
  /** What was asked and came, where nothing of it resembles the API. */
  | { readonly plane: Plane; readonly strange: string }

type Question = readonly [asked: string, send: () => Promise<Reply>, resembles: (json: unknown) => boolean]

const asIs = { raw429: true } as const

/** Looks at the planes that are judged, up to the first that is in the way of a run. */
export async function lookAt(prober: Owner, target: Target, isQueueJudged: boolean): Promise<Seen> {
  const queueSeen = () => seenOf('queue', () => lookAtQueue(prober.queue.as('full')))
  if (target.pods === null) return queueSeen()
  const pods = await seenOf('pods', () => lookAtPods(prober.pods))
  if (!('status' in pods) || target.queue === null || !isQueueJudged) return pods
  const queue = await queueSeen()
  return 'status' in queue ? pods : queue
}

async function seenOf(plane: Plane, look: () => Promise<Seen>): Promise<Seen> {
  try {
    return await look()
  } catch (error) {
    if (error instanceof Inconclusive) return { plane, failure: error.message.replace(/^no whole answer: /, '') }
    throw error
  }
}

/**
 * Looks at the pod API: the list, and only where that is like nothing of the API the one call whose path is described
 * and a creation whose body is no object, for defaults can make a pod of an empty one, which no ledger would name. One
 * answer that resembles the API is enough, however wrong.
 */
function lookAtPods(pods: PodClient): Promise<Seen> {
  return look('pods', [
    ['the list of pods', () => pods.list(asIs), (json) => listsIn(json).length > 0],
    ['the action call for a pod that is not there', () => pods.act(noSuchPod, 'stop', asIs), hasId],
    ['a creation whose body is an empty list', () => pods.create([], asIs), hasId],
  ])
}

/** Looks at an endpoint of the queue plane: /health, and where that is like nothing of the API a job without input. */
function lookAtQueue(queue: QueueClient): Promise<Seen> {
  return look('queue', [
    ['/health', () => queue.health(asIs), (json) => Object.keys(membersOf(json) ?? {}).length > 0],
    ['/run with an empty body', () => queue.run({}, asIs), hasId],
  ])
}

async function look(plane: Plane, questions: readonly Question[]): Promise<Seen> {
  const told: string[] = []
  let first: number | null = null
  for (const [asked, send, resembles] of questions) {
    const reply = await send()
    first ??= reply.status
    if (speaksOfRequest(reply) || (isSuccess(reply.status) && resembles(reply.json))) return { plane, status: first }
    told.push(`${asked} was answered ${reply.status} with ${contentOf(reply)}`)
  }
  return { plane, strange: told.join(', ') }
}

/** Statuses by which somebody says that he has read a request, or failed over it. What is not there says nothing. */
function speaksOfRequest({ status, exchange }: Reply): boolean {
  if (mediaTypeOf(exchange.response?.headers ?? []) === 'application/problem+json') return true
  return (status >= 400 && status < 500 && !isNothing.has(status)) || (status >= 500 && status !== 501)
}

const isNothing: ReadonlySet<number> = new Set([404, 405, 410])

function hasId(json: unknown): boolean {
  return idIn(json) !== null
}

function contentOf({ bytes, json, exchange }: Reply): string {
  if (bytes.length === 0) return 'no body'
  if (json !== undefined)
    return Object.keys(membersOf(json) ?? { json }).length === 0 ? 'an empty object' : 'other JSON'
  return headerOf(exchange.response?.headers ?? [], 'content-type') === null
    ? 'a body without a content type'
    : (mediaTypeOf(exchange.response?.headers ?? []) ?? '')
}
