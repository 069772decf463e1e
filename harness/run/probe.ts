import type { Target } from '../../target/types.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import type { Direct } from '../client/direct.ts'
import { headerOf, isSuccess, jsonOf, mediaTypeOf, redirectText, type WireResponse } from '../exchange/exchange.ts'
import { show } from '../exchange/read.ts'
import { allPlanes, planeNamed, sectionOf } from '../planes/index.ts'
import type { Named, Plane } from '../planes/plane.ts'
import { outageStatuses } from '../rule/check.ts'
import { Inconclusive } from '../rule/outcome.ts'
import { sayIfSlow } from '../transport/slow.ts'
import { TransportFailure } from '../transport/types.ts'

/** A longer body is not in the message, bytes. */
const maxShown = 300

/** A target that lets its first request wait longer does not respond at all, real ms. */
const firstResponseMs = 10_000

/** One look at a plane before anything is created. */
export type ProbeResult =
  /** Status of the response to the first request; `isOut`: true if every response was 502, 503 or 504. */
  | { readonly plane: string; readonly status: number; readonly isOut?: boolean }
  /** Why there was no response. */
  | { readonly plane: string; readonly failure: string }
  /** A resource that the target file names and the target does not have. */
  | { readonly plane: string; readonly unknown: Named }
  /** The requests and their responses, if none of them resembles the API. */
  | { readonly plane: string; readonly strange: string }

/** Tolerances of a target for its first response: it is waited for no longer than these say, real ms. */
export function firstTolerances({ tolerances }: Target): Pick<Target['tolerances'], 'answerMs'> {
  return { answerMs: Math.min(firstResponseMs, tolerances.answerMs) }
}

/**
 * Looks at the first plane of the target that has an address and the others that are judged, up to the first that prevents
 * a run. Null if no plane has an address. `say` gets a line if a plane takes a while.
 */
export async function probeTarget(
  target: Target,
  isJudged: (plane: string) => boolean,
  directTo: (plane: Plane) => Direct,
  say: (line: string) => void,
): Promise<ProbeResult | null> {
  const hurried = { tolerances: firstTolerances(target) }
  const answered: Extract<ProbeResult, { readonly status: number }>[] = []
  for (const plane of allPlanes()) {
    const url = sectionOf(target, plane.name)?.url ?? null
    if (url === null || (answered.length > 0 && !isJudged(plane.name))) continue
    const seen = await sayIfSlow(url, hurried, seenOf(plane, target, directTo(plane)), say)
    if (!('status' in seen)) return seen
    answered.push(seen)
  }
  const [first = null] = answered
  if (first === null) return null
  const { plane, status } = first
  // Held operations alone show no outage, but may share one.
  const isOut =
    answered.some((one) => one.isOut) && answered.every((one) => one.isOut || outageStatuses.has(one.status))
  if (!isOut && answered.every((one) => one.status >= 500)) {
    const address = sectionOf(target, plane)?.url
    say(`${address} answers ${status} to the first request; if that is not expected, end the run and look in its log`)
  }
  return { plane, status, ...(isOut && { isOut }) }
}

/**
 * Why nothing can be judged at a target, with the exit code; null if it can be. In an outage a run has repeated each request
 * before; other commands give up at once.
 */
export function refusalOf(
  seen: ProbeResult | null,
  target: Target,
): { readonly exit: number; readonly message: string } | null {
  if (seen === null) return null
  const address = sectionOf(target, seen.plane)?.url ?? 'the target'
  const { title, probeKeys, named } = planeNamed(seen.plane)
  if ('failure' in seen) {
    return {
      exit: exitCodes.unreachable,
      message: `${address} gives no response that can be judged: ${seen.failure}. Check ${probeKeys.split(/[ ,]/)[0]} in the target file and that the target is running.`,
    }
  }
  if ('unknown' in seen) {
    const { key, id } = seen.unknown
    return {
      exit: exitCodes.usage,
      message: `${address} does not have ${key}: a read of ${JSON.stringify(id)} was answered 404, and that of another id 200. Check ${key} in the target file.`,
    }
  }
  if ('strange' in seen) {
    const all = seen.strange.includes(' answered 404 ') ? named?.(sectionOf(target, seen.plane) as never) : []
    const missing = all?.find(({ key }) => probeKeys.includes(key))
    const or = missing === undefined ? '' : `does not have ${missing.key} ${JSON.stringify(missing.id)}, or `
    return {
      exit: exitCodes.usage,
      message: `${address} ${or}does not look like ${title} of the Compute Platform API: ${seen.strange}. Check ${probeKeys} in the target file.`,
    }
  }
  if (seen.isOut === true) {
    return {
      exit: exitCodes.unreachable,
      message: `${address} answers ${seen.status} to every request, as in an outage, so nothing can be judged. Run this again when it is over.`,
    }
  }
  if (seen.status !== 401 && seen.status !== 403) return null
  return {
    exit: exitCodes.usage,
    message: `${address} answered ${seen.status} to keys.full, so nothing can be judged. Check that keys.full of the target file is a valid key with all permissions.`,
  }
}

async function seenOf(plane: Plane, target: Target, send: Direct): Promise<ProbeResult> {
  try {
    return await look(plane, sectionOf(target, plane.name), send)
  } catch (error) {
    if (!isNoResponse(error)) throw error
    return { plane: plane.name, failure: error.message.replace(/^no complete response: /, '') }
  }
}

function isNoResponse(error: unknown): error is Error {
  return error instanceof Inconclusive || error instanceof TransportFailure
}

/** One response that resembles the API is enough, however wrong. If another API may send it, the server must also refuse something. */
async function look(
  { name: plane, named, operations, probes }: Plane,
  section: unknown,
  send: Direct,
): Promise<ProbeResult> {
  const strange = new Map<string, string[]>()
  let first: number | null = null
  let isListed = false
  let outages = 0
  for (const { asked, operation, call, resembles, isAmbiguous } of probes) {
    const response = await send(operation, call?.(section as never))
    const { status } = response
    const json = jsonOf(response.body)
    first ??= status
    // A held operation may be without a worker.
    if (outageStatuses.has(status) && operations[operation]?.held !== true) {
      outages++
      continue
    }
    const isAlike = isSuccess(status) && resembles(json)
    const isSuccessful =
      isAlike && (isAmbiguous?.(json) !== true || !isSuccess((await send(operation, { authorization: null })).status))
    if (isSuccessful) {
      const unknown = await unknownOf(named?.(section as never) ?? [], send)
      if (unknown !== null) return { plane, unknown }
    }
    if (isSuccessful || speaksOfRequest(response) || (isListed && status >= 400)) return { plane, status: first }
    isListed ||= isAlike
    const received = `${status} with ${contentOf(response)}${placeOf(response)}`
    strange.set(received, [...(strange.get(received) ?? []), asked])
  }
  if (outages > 0 && first !== null) return { plane, status: first, isOut: outages === probes.length }
  const sentences = [...strange].map(([received, asked]) => {
    const all = asked.join(', ').replace(/, (?=[^,]*$)/, ' and ')
    return `${all} ${asked.length === 1 ? 'was' : 'were'} answered ${received}`
  })
  return { plane, strange: sentences.join(', ') }
}

/** The first of these resources that the target does not have; null if it has all, or shows none. */
async function unknownOf(all: readonly Named[], send: Direct): Promise<Named | null> {
  const statuses = await Promise.all(
    all.map(({ operation, call }) =>
      send(operation, call).then(
        ({ status }) => status,
        (error: unknown) => (isNoResponse(error) ? null : Promise.reject(error)),
      ),
    ),
  )
  if (!statuses.some((status) => status !== null && isSuccess(status))) return null
  return all[statuses.indexOf(404)] ?? null
}

/** True if the response is about the request: it was read, or failed. A path that is not served says nothing. */
function speaksOfRequest({ status, headers }: WireResponse): boolean {
  if (isNothing.has(status)) return false
  if (mediaTypeOf(headers) === 'application/problem+json') return true
  return (status >= 400 && status < 500) || (status >= 500 && status !== 501)
}

const isNothing: ReadonlySet<number> = new Set([404, 405, 410])

function placeOf({ status, headers }: WireResponse): string {
  const place = redirectText(status, headerOf(headers, 'location'))
  return place === '' ? '' : `${place}, which is not followed`
}

function contentOf({ body, headers }: WireResponse): string {
  if (body.length === 0) return 'no body'
  const json = jsonOf(body)
  if (json !== undefined) return body.length <= maxShown ? show(json) : 'longer JSON'
  const type = mediaTypeOf(headers)
  if (type === null) return 'a body without a content type'
  return type.endsWith('json') ? `a body of ${type} that is not valid JSON` : type
}
