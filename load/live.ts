import type { ScenarioClock } from '../harness/clock/types.ts'
import type { LoadOptions, LoadTask } from '../harness/run/options.ts'
import type { QueuePlane } from '../target/types.ts'
import type { Driven } from './conduct.ts'
import { type LoadRequests, noFills } from './k6/script-plan.ts'
import { mixedRequests } from './mixed/requests.ts'
import { FIRST_ENDPOINT } from './plan/queue-plan.ts'
import { createLoadPod } from './pods/pod.ts'
import { waitBeforeDrainMs } from './pods/steps.ts'
import type { Point } from './points.ts'
import { createQueueClient, type QueueClient } from './queue/client.ts'
import { type Drive, performQueue, refuseSilence } from './queue/perform.ts'
import { queueRequests } from './queue/requests.ts'
import type { QueueStep, Step } from './queue/steps.ts'
import { runLoad } from './run.ts'
import type { PlanTurn } from './turns.ts'

/** Drives a step with k6, its raw points in `folder`. `prepared` is that of `inTurns`. */
type DriveIn = (turn: PlanTurn, folder: string, prepared: () => number) => Promise<Driven>

/** Drives the steps of each plane of a target over HTTP. */
export function createLive(
  { run, options, target, transport, recorder, resources, reportProgress }: LoadTask,
  { k6, windowScale, segments = 1 }: LoadOptions,
  clock: ScenarioClock,
): Readonly<Record<Step['plan']['plane'], DriveIn>> {
  const token = target.keys.full ?? ''
  const agentOf = (rule: string) => `plumbline/${options.plumbline} (run ${run.run}; rule ${rule})`

  /** The processes of k6, by the folder of their plan. */
  const processes = new Map<string, readonly number[]>()
  function noteProcesses(folder: string, ids: readonly number[]): void {
    processes.set(folder, ids)
    reportProgress({ type: 'processes', ids: [...processes.values()].flat() })
  }

  function driverOf(url: string, requests: LoadRequests, folder: string): Drive<Step> {
    return ({ plan, rules }, fills) =>
      runLoad({
        plan,
        requests,
        fills,
        k6: k6.path,
        url,
        ...(target.pods !== null && { podsUrl: target.pods.url }),
        token,
        ...(target.keys.second !== undefined && { secondToken: target.keys.second }),
        network: target.network,
        clean: recorder.clean,
        userAgent: agentOf(rules[0] ?? 'smoke'),
        folder,
        segments,
        onStart: (ids) => noteProcesses(folder, ids),
      }).finally(() => noteProcesses(folder, []))
  }

  function podOf({ name, rules }: Step) {
    if (target.pods === null) throw new Error('there is no pod plane')
    return createLoadPod({
      transport,
      target,
      section: target.pods,
      token,
      userAgent: agentOf(rules[0] ?? 'smoke'),
      name: `plumbline-${run.run}-load-${name}`,
      clock,
      resources,
    })
  }

  /** The outcome of a plan, once the pod that it may have created is removed; its notes name what may be left. */
  async function removing(pod: ReturnType<typeof podOf> | null, driving: ReturnType<Drive<Step>>): Promise<Driven> {
    const left: string[] = []
    const driven = await driving.finally(async () => {
      left.push(...((await pod?.remove()) ?? []))
    })
    return { ...driven, notes: [...driven.notes, ...left], health: [] }
  }

  let client: QueueClient | null = null
  let last: Point | null = null
  let isLoaded = false
  /** Notes the dedicated endpoint, which is purged at the end. */
  function noteLoaded({ url, endpoints }: QueuePlane): void {
    if (!isLoaded) resources({ kind: 'endpoint', endpoint: endpoints.dedicated ?? '', url, state: 'loaded' })
    isLoaded = true
  }
  return {
    async mixed({ step }, folder) {
      const { queue, pods } = target
      if (queue === null) throw new Error('there is no queue plane')
      noteLoaded(queue)
      const isCreating = step.plan.plane === 'mixed' && step.plan.sessions.flat().includes('createPod')
      const pod = isCreating ? podOf(step) : null
      const ofPod = Object.entries((await pod?.requests('delete')) ?? {})
      const requests = {
        ...Object.fromEntries(ofPod.map(([name, request]) => [name, { ...request, plane: 'pods' } as const])),
        ...mixedRequests(queue, pods),
      }
      const ids = { [FIRST_ENDPOINT]: queue.endpoints.dedicated ?? '' }
      const driven = await removing(pod, driverOf(queue.url, requests, folder)(step, { ids, jobs: {} }))
      refuseSilence(driven.points)
      return driven
    },
    async pods({ step }, folder) {
      const { url = '', paths } = target.pods ?? {}
      const waitMs = step.plan.shape === 'pod-429' && last !== null ? waitBeforeDrainMs(last, Date.now()) : 0
      if (waitMs > 0) await clock.sleep(waitMs)
      const action = step.plan.plane === 'pods' ? step.plan.action : null
      const pod = action === null ? null : podOf(step)
      const list = { method: 'GET', path: paths?.listPods ?? '', body: null }
      const requests =
        action === null || pod === null
          ? { pods: list }
          : { pods: { ...list, unfinished: pod.listed }, ...(await pod.requests(action)) }
      const driven = await removing(pod, driverOf(url, requests, folder)(step, noFills))
      last = driven.points.at(-1) ?? null
      return driven
    },
    async queue(turn, folder, prepared) {
      const { queue, tolerances } = target
      if (queue === null) throw new Error('there is no queue plane')
      noteLoaded(queue)
      const userAgent = agentOf('load')
      client ??= createQueueClient({ transport, section: queue, token, userAgent, tolerances, clock, resources })
      const drive = driverOf(queue.url, queueRequests(queue), folder)
      return performQueue(turn.step as QueueStep, {
        queue,
        windowScale,
        client,
        clock,
        startMs: tolerances.coldStartMs + tolerances.dispatchMs,
        drive,
        prepared,
        isBeside: () => turn.isBeside,
      })
    },
  }
}
