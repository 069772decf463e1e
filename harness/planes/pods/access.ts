import type { Hook, PodStatus, Target } from '../../../target/types.ts'
import type { ApiResponse } from '../../client/api-response.ts'
import { pausesWithin, pollOn } from '../../clock/poll.ts'
import { memoize } from '../../common/memoize.ts'
import { membersOf, type PodView, podOf, show, textIn } from '../../exchange/read.ts'
import { Inconclusive } from '../../rule/outcome.ts'
import { createResourceAccess } from '../own-resources.ts'
import type { OwnerContext, RunServices } from '../owner.ts'
import { createPodClient } from './client.ts'
import { defaultPlane } from './defaults.ts'
import { pods } from './plane.ts'
import { createPodTimes } from './pod-times.ts'

/** An owner's access to the pod API. */
export type PodAccess = ReturnType<typeof createPodAccess>

/** Polls a pod until `done` is true, at most `boundMs` (default: the tolerance `settle`), after `pauses` (default: that double). */
export type Settle = (
  id: string,
  done: (status: string, pod: PodView | null) => boolean,
  boundMs?: number,
  pauses?: Iterable<number>,
) => Promise<Settled>

/** The state in which a pod settled, or in which it was last seen when the time was over. */
export interface Settled {
  /** A pod status, `gone` after a 404, or `HTTP NNN` for anything else. */
  readonly status: string
  /** The pod as last seen; null if it is gone or could not be read. */
  readonly pod: PodView | null
  readonly response: ApiResponse
  /** True if it got there within the bound. */
  readonly settled: boolean
}

/** Everything that the making of a pod needs: a client, ways to wait, and a name for each pod. */
export type PodMaker = ReturnType<PodAccess['maker']>

/** How long others wait for the first RUNNING pod of a run before they look at their own, ms. */
const firstPodMs = 20_000

/** Statuses in which a start has ended, or never will. */
const startEnds: ReadonlySet<string> = new Set(['RUNNING', 'ERROR', 'TERMINATED', 'gone'])

/** The times that a run has learned. */
const timesOf = memoize(({ isReplayed, target }: RunServices) => createPodTimes(target.tolerances.pollMs, isReplayed))

export function createPodAccess(host: OwnerContext) {
  const { services, name, actor, sender, isReleased, waitOnce } = host
  const { target } = services
  const { as, removables, remover } = createResourceAccess(pods, host, createPodClient)
  const podTimes = timesOf(services)
  let hooks = 0

  const settle: Settle = (
    id,
    done,
    boundMs = target.tolerances.settleMs,
    pauses = pausesWithin(actor, target.tolerances.pollMs, boundMs),
  ) => {
    const look = async (): Promise<Settled> => {
      const response = await as('full').get(id)
      const pod = response.status === 200 ? podOf(response.json, response.exchange.n) : null
      const status = pod?.status ?? (response.status === 404 ? 'gone' : `HTTP ${response.status}`)
      return { status, pod, response, settled: done(status, pod) }
    }
    return pollOn(actor, pauses, look, ({ settled }) => settled)
  }

  /** Waits until a pod may be RUNNING, by what others took: earlier reads show nothing new and use quota. */
  async function spareLooks(since: 'created' | 'started', sinceMs: number): Promise<void> {
    const ripening = podTimes.untilRunning[since]
    await actor.until(ripening.first(), actor.now() + firstPodMs)
    await actor.at(sinceMs + ripening.ms())
  }

  /** Waits until a pod that was started while EXITED is RUNNING, or has taken another way. */
  async function settleStarted(id: string): Promise<Settled> {
    const startedMs = actor.now()
    await spareLooks('started', startedMs)
    let lastMs = startedMs
    return settle(id, (seen) => {
      if (seen === 'RUNNING') podTimes.untilRunning.started.came(lastMs - startedMs, actor.now() - startedMs)
      lastMs = actor.now()
      return startEnds.has(seen)
    })
  }

  /** Waits until the quota has room for so many requests, and keeps it for this owner. */
  const reserve = (requests: number) => sender.reserve('getPod', requests)

  /** `cpu`: the CPU member of a creation body, looked up in the catalog if the target file says so. */
  const maker = (cpu: () => Promise<Record<string, unknown>>) => ({
    target,
    pods: as('full'),
    settle,
    settleStarted,
    cpu,
    reserve,
    /** Runs a hook for a pod. Resolves with the reason if it failed, else with null. */
    async hook(hook: Hook, pod: string, status: PodStatus): Promise<string | null> {
      if (isReleased()) throw new Inconclusive('the hook was not run, because its rule has ended')
      return actor.real(services.hook(name, ++hooks, hook, { pod, status }))
    },
    nextName: host.nextName,
    sleep: (ms: number): Promise<unknown> => actor.sleep(ms),
    /** The moment of the owner's last exchange or wait. */
    now: () => actor.now(),
    podTimes,
    spareLooks,
    waitOnce,
    came: services.longWaits.came,
    /** Notes that an optional part of a shape did not come about. */
    fellBack(_: 'fields' | 'history'): void {},
    lacksCapacity: (response: ApiResponse) => lacksCapacity(target, response),
  })

  return { as, removables, remover, settle, settleStarted, reserve, maker }
}

/** Throws Inconclusive if a response shows a lack of capacity. */
export function inconclusiveIfNoCapacity(of: Pick<PodMaker, 'lacksCapacity'>, response: ApiResponse, what = ''): void {
  if (of.lacksCapacity(response)) throw new Inconclusive(scarcityText(response, what))
}

/** Why a rule ends with a response that shows a lack of capacity. */
export function scarcityText({ status, json }: ApiResponse, what = ''): string {
  return `the target has no capacity${what} (${status} ${show(titlesIn(json).join(' '))} matches pods.capacity)`
}

/** True if a response shows a lack of capacity, by the pattern of the target file. */
export function lacksCapacity({ pods }: Target, { json, status }: Pick<ApiResponse, 'json' | 'status'>): boolean {
  const pattern = new RegExp(pods?.capacity ?? defaultPlane.capacity, 'i')
  if (status < 400 || status === 401 || status === 403) return false
  return pattern.test(titlesIn(json).join(' '))
}

/** The texts of an error. */
function titlesIn(json: unknown): string[] {
  const { title, detail, error } = membersOf(json) ?? {}
  return [title, detail, error].filter((text) => text !== undefined && text !== null).map(textIn)
}
