import type { Target } from '../../target/types.ts'
import type { Caller } from '../client/caller.ts'
import type { Reply } from '../client/reply.ts'
import { headerOf, isSuccess } from '../exchange/exchange.ts'
import { mediaTypeOf } from '../exchange/media-type.ts'
import { membersOf } from '../exchange/read.ts'
import { allPlanes, sectionOf } from '../planes/index.ts'
import type { Plane, PlaneAccess } from '../planes/plane.ts'
import { Inconclusive } from '../rule/outcome.ts'
import type { Owner } from './owner.ts'

/** What one look at a plane showed before anything is created. */
export type Seen =
  /** Status of the answer to the first request. */
  | { readonly plane: string; readonly status: number }
  /** Why there was no answer. */
  | { readonly plane: string; readonly failure: string }
  /** What was asked and came, where nothing of it resembles the API. */
  | { readonly plane: string; readonly strange: string }

/**
 * Looks at the first plane of the target that has an address and the others that are judged, up to the first that is in
 * the way of a run. Null if no plane has an address.
 */
export async function lookAt(
  prober: Owner,
  target: Target,
  isJudged: (plane: string) => boolean,
): Promise<Seen | null> {
  let first: Seen | null = null
  for (const plane of allPlanes()) {
    if ((sectionOf(target, plane.name)?.url ?? null) === null || (first !== null && !isJudged(plane.name))) continue
    const seen = await seenOf(plane, prober.access(plane))
    if (!('status' in seen)) return seen
    first ??= seen
  }
  return first
}

async function seenOf(plane: Plane, side: PlaneAccess): Promise<Seen> {
  try {
    return await look(plane, side.as('full'))
  } catch (error) {
    if (!(error instanceof Inconclusive)) throw error
    return { plane: plane.name, failure: error.message.replace(/^no whole answer: /, '') }
  }
}

/** One answer that resembles the API is enough, however wrong. */
async function look({ name: plane, probes }: Plane, caller: Caller): Promise<Seen> {
  const told: string[] = []
  let first: number | null = null
  for (const { asked, operation, call, resembles } of probes) {
    const reply = await caller.call(operation, { ...call, raw429: true })
    first ??= reply.status
    if (speaksOfRequest(reply) || (isSuccess(reply.status) && resembles(reply.json))) return { plane, status: first }
    told.push(`${asked} was answered ${reply.status} with ${contentOf(reply)}`)
  }
  return { plane, strange: told.join(', ') }
}

/** True if the response is about the request: it was read, or failed. A path that is not served says nothing. */
function speaksOfRequest({ status, exchange }: Reply): boolean {
  if (isNothing.has(status)) return false
  if (mediaTypeOf(exchange.response?.headers ?? []) === 'application/problem+json') return true
  return (status >= 400 && status < 500) || (status >= 500 && status !== 501)
}

const isNothing: ReadonlySet<number> = new Set([404, 405, 410])

function contentOf({ bytes, json, exchange }: Reply): string {
  if (bytes.length === 0) return 'no body'
  if (json !== undefined)
    return Object.keys(membersOf(json) ?? { json }).length === 0 ? 'an empty object' : 'other JSON'
  return headerOf(exchange.response?.headers ?? [], 'content-type') === null
    ? 'a body without a content type'
    : (mediaTypeOf(exchange.response?.headers ?? []) ?? '')
}
