import type { ScriptPlan, ScriptPods, ScriptRequest } from './types.ts'

// The parts of the scripts that the driver of the tests runs, too.

/** A request with the ids of its endpoint and job, and the time for which it is to be held. */
export function filled(
  { method, path, body }: ScriptRequest,
  { ids, holdMs }: Pick<ScriptPlan, 'ids' | 'holdMs'>,
  endpoint: string,
  job: string,
): ScriptRequest {
  const fill = (text: string) =>
    text
      .replaceAll('{endpoint}', ids[endpoint] ?? '')
      .replaceAll('{job}', job)
      .replaceAll('{holdMs}', String(holdMs))
  return { method, path: fill(path), body: body === null ? null : fill(body) }
}

/** Characters of the body of an error that are kept; a shorter one is whole. */
export const BODY_CHARACTERS = 2000

/** The status of a response, and its Retry-After if there is one. */
export interface PodAnswer {
  readonly status: number
  readonly retryAfter?: string | null
}

/**
 * The steps of a load on the pod API, one after the other: a request, whose response comes back, or a pause in ms.
 * pod-headers: only requests. pod-429: requests until one is refused, then one that comes too early, the wait that the
 * last Retry-After states, and the probes. If the stated wait is too long or cannot be read, nothing more is sent.
 */
export function* podSteps(
  { requests, probes, earlyShare, earlyFromMs, longestWaitMs }: ScriptPods,
  isDrained: boolean,
  nowMs: () => number,
): Generator<'send' | number, void, PodAnswer | undefined> {
  for (let n = 0; n < requests; n++) {
    const refused = yield 'send'
    if (!isDrained || refused?.status !== 429) continue
    let waitMs = statedWaitMs(refused, nowMs())
    if (waitMs === null || waitMs > longestWaitMs) return
    if (earlyShare > 0 && waitMs >= earlyFromMs) {
      const earlyMs = Math.floor(waitMs * earlyShare)
      yield earlyMs
      const early = yield 'send'
      waitMs = (early?.status === 429 ? statedWaitMs(early, nowMs()) : null) ?? waitMs - earlyMs
      if (waitMs > longestWaitMs) return
    }
    yield waitMs
    for (let probe = 0; probe < probes; probe++) yield 'send'
    return
  }
}

/** Read leniently, a date or a fraction too: the recorded header decides if its form is right. */
function statedWaitMs({ retryAfter = null }: PodAnswer, nowMs: number): number | null {
  if (retryAfter === null) return null
  const seconds = Number(retryAfter)
  if (Number.isFinite(seconds)) return Math.max(0, Math.ceil(seconds * 1000))
  const date = Date.parse(retryAfter)
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}
