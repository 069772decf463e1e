import type { LoadAction } from '../../plan/types.ts'
import type { ScriptPlan, ScriptPods, ScriptRequest } from './types.ts'

// The parts of the scripts that the driver of the tests runs, too.

/** An endpoint in a plan: the first one, whose requests carry the second key. */
export const BY_SECOND_KEY = 'first by second key'

/** A request with the ids of its endpoint and job, its key, and the time for which it is to be held. */
export function filled(
  { path, body, ...rest }: ScriptRequest,
  { ids, holdMs }: Pick<ScriptPlan, 'ids' | 'holdMs'>,
  endpoint: string,
  job: string,
): ScriptRequest {
  const fill = (text: string) =>
    text
      .replaceAll('{endpoint}', ids[endpoint] ?? '')
      .replaceAll('{job}', job)
      .replaceAll('{holdMs}', String(holdMs))
  const key = endpoint === BY_SECOND_KEY ? ({ key: 'second' } as const) : {}
  return { ...rest, ...key, path: fill(path), body: body === null ? null : fill(body) }
}

/** Characters of the body of an error that are kept; a shorter one is whole. */
export const BODY_CHARACTERS = 2000

/** The requests to the pod API, as points name them: `pods` lists, `act` does to the pod what the plan says. */
export type PodSend = 'pods' | 'createPod' | 'getPod' | 'updatePod' | 'act' | 'deletePod'

/** The status of a response, its Retry-After, and the status of the pod in it, if there is one. */
export interface PodResponse {
  readonly status: number
  readonly retryAfter?: string | null
  readonly podStatus?: string | null
}

type PodSteps<Result = void> = Generator<PodSend | number, Result, PodResponse | undefined>

/** How often a pod is read until it shows something, a second apart. */
const MAX_READS = 30
/** How often a request about the pod is sent again after a 429. */
const MAX_REFUSALS = 5

/**
 * The steps of a load on the pod API, one after the other: a request, whose response comes back, or a pause in ms.
 * pod-headers: only requests. pod-429: requests until one is refused; then, if a pod was created before, one request of each
 * other operation. One request that comes too early, the rest of the longest wait that was stated, and the probes; then the pod
 * is read, and the action sent again. If the stated wait is too long or cannot be read, nothing more is sent, except to
 * remove the pod.
 */
export function* podSteps(plan: ScriptPods, isDrained: boolean, nowMs: () => number): PodSteps {
  const isCreated = plan.action !== null && isSuccess(yield* patiently('createPod', plan, nowMs))
  if (isCreated) yield* readUntil(isSuccess, plan, nowMs)
  yield* requestSteps(plan, isDrained, isCreated, nowMs)
  if (!isCreated) return
  const { action } = plan
  yield* patiently('getPod', plan, nowMs)
  yield* patiently('act', plan, nowMs)
  yield* readUntil((response) => isCarriedOut(action, response) || isGone(response), plan, nowMs)
  yield* patiently('deletePod', plan, nowMs)
}

function* requestSteps(plan: ScriptPods, isDrained: boolean, isCreated: boolean, nowMs: () => number): PodSteps {
  const { requests, probes, earlyShare, earlyFromMs, longestWaitMs, action } = plan
  const others = isCreated ? sendsWhileDrained(action) : []
  for (let n = 0; n < requests; n++) {
    const refused = yield 'pods'
    if (!isDrained || refused?.status !== 429) continue
    let waitMs = statedWaitMs(refused, nowMs())
    if (waitMs === null || waitMs > longestWaitMs) return
    let untilMs = nowMs() + waitMs
    let last: PodResponse | undefined = refused
    for (let send = others.shift(); send !== undefined; send = others.shift()) {
      last = yield send
      if (last?.status !== 429) break
      untilMs = Math.max(untilMs, nowMs() + (statedWaitMs(last, nowMs()) ?? 0))
    }
    // The quota has room again, or does not count that operation.
    if (last?.status !== 429) continue
    waitMs = untilMs - nowMs()
    if (waitMs > longestWaitMs) return
    if (earlyShare > 0 && waitMs >= earlyFromMs) {
      const earlyMs = Math.floor(waitMs * earlyShare)
      yield earlyMs
      const early = yield 'pods'
      waitMs = (early?.status === 429 ? statedWaitMs(early, nowMs()) : null) ?? waitMs - earlyMs
      if (waitMs > longestWaitMs) return
    }
    yield waitMs
    for (let probe = 0; probe < probes; probe++) yield 'pods'
    return
  }
}

/**
 * Requests about the pod while the quota is used up. Should one be accepted, then the pod has the same name as before, or is
 * removed, or another one of its name is created, which is removed with it.
 */
function sendsWhileDrained(action: LoadAction | null): PodSend[] {
  const others = ['getPod', 'updatePod', 'createPod'] as const
  return action === 'delete' ? ['act', ...others] : ['act', 'deletePod', ...others]
}

/** Sends a request about the pod, and again after each 429 that it gets. */
function* patiently(
  send: PodSend,
  { longestWaitMs }: ScriptPods,
  nowMs: () => number,
): PodSteps<PodResponse | undefined> {
  for (let refusals = 0; ; refusals++) {
    const response = yield send
    const waitMs = response?.status === 429 ? statedWaitMs(response, nowMs()) : null
    if (waitMs === null || waitMs > longestWaitMs || refusals === MAX_REFUSALS) return response
    yield Math.max(waitMs, 1000)
  }
}

function* readUntil(
  isDone: (response: PodResponse | undefined) => boolean,
  plan: ScriptPods,
  nowMs: () => number,
): PodSteps {
  for (let reads = 1; reads <= MAX_READS; reads++) {
    if (isDone(yield* patiently('getPod', plan, nowMs))) return
    yield 1000
  }
}

/** True if a read of the pod shows that the action was carried out. */
export function isCarriedOut(action: LoadAction | null, response: PodResponse | undefined): boolean {
  return action === 'stop' ? response?.podStatus === 'EXITED' : isGone(response)
}

/** True if a read shows that the pod is no longer there. */
export function isGone(response: PodResponse | undefined): boolean {
  return response?.status === 404 || response?.podStatus === 'TERMINATED'
}

function isSuccess(response: PodResponse | undefined): boolean {
  return response !== undefined && response.status >= 200 && response.status < 300
}

/** Read leniently, a date or a fraction too: the recorded header decides if its form is right. */
function statedWaitMs({ retryAfter = null }: PodResponse, nowMs: number): number | null {
  if (retryAfter === null) return null
  const seconds = Number(retryAfter)
  if (Number.isFinite(seconds)) return Math.max(0, Math.ceil(seconds * 1000))
  const date = Date.parse(retryAfter)
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}
