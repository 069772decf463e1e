import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { type Members, membersOf, type PodView, podOf } from '../../harness/exchange/read.ts'
import { restartBeginsMs } from '../../harness/planes/pods/fixtures/history.ts'
import type { Context } from '../../harness/rule/context.ts'
import { poll } from '../shared/poll.ts'
import { cachedMs, slackMs, uptimeIn } from './uptime.ts'

/** How long a pod runs before it is restarted, ms. */
export const runMs = 5_000

/** Restarts a RUNNING pod until it is RUNNING again. Resolves with the response to the action. */
export async function restartPod({ blocked, clock, pods, settle }: Context, id: string): Promise<ApiResponse> {
  const response = await pods.act(id, 'restart')
  if (!isSuccess(response.status)) blocked('pods.action.running.restart', `restart was answered ${response.status}`)
  await clock.sleep(restartBeginsMs)
  const rest = await settle(id, (seen) => seen === 'RUNNING')
  if (!rest.settled) blocked('pods.action.running.restart', `after restart the pod is ${rest.status}`)
  return response
}

/**
 * The container of a pod, as read in `before`, began anew after `restart` was answered. Ends the rule as inconclusive if the pod
 * shows no time that tells.
 */
export async function expectRestarted(context: Context, before: PodView, restart: ApiResponse): Promise<PodView> {
  const { check, inconclusive, pods, target } = context
  const isAnew = ({ exchange, json }: ApiResponse) =>
    hasRestarted(before.value, membersOf(json), exchange.received.target - restart.exchange.sent.target)
  const later = await poll(
    context,
    Math.max(cachedMs, target.tolerances.settleMs) + runMs,
    () => pods.get(before.id),
    isAnew,
  )
  const after = check('restarted').pod(later)
  if (!isAnew(later) && uptimeIn(after.value) === null)
    inconclusive('startedAt has not moved, and the runtime shows no uptime')
  check('restarted').that(isAnew(later), 'an uptime that starts over, or a later startedAt', 'neither', later)
  return after
}

/** True if a pod shows that its container began anew, at most `sinceMs` ago. */
function hasRestarted(before: Members, after: Members | null, sinceMs: number): boolean {
  const uptimeMs = uptimeIn(after)
  return isStartedLater(before, after) || (uptimeMs !== null && uptimeMs <= sinceMs + slackMs)
}

/**
 * True if a later read of a pod cannot be of the same run of its container. Uptimes may be cached, by each replica of the service
 * at another time.
 */
export function startsOver(before: ApiResponse, after: ApiResponse): boolean {
  const [was, is] = [before, after].map(({ json }) => membersOf(json) ?? {}) as [Members, Members]
  const [wasMs, uptimeMs] = [uptimeIn(was), uptimeIn(is)]
  const passedMs = after.exchange.sent.target - before.exchange.received.target
  const lackMs = uptimeMs === null || wasMs === null ? 0 : wasMs + passedMs - uptimeMs
  return isStartedLater(was, is) || lackMs > cachedMs + slackMs
}

function isStartedLater(before: Members, after: Members | null): boolean {
  // Without a time in either, neither is later.
  return Date.parse(String(after?.startedAt)) > Date.parse(String(before.startedAt))
}

/**
 * Stops a pod. Ends the rule as inconclusive if reads do not show the end that the response shows: then the pod may have been
 * RUNNING while they showed STARTING.
 */
export async function stopToSeeLag({ inconclusive, pods }: Context, id: string): Promise<void> {
  const stop = await pods.act(id, 'stop')
  const read = podOf((await pods.get(id)).json, 0)
  const isStopped = isSuccess(stop.status) && podOf(stop.json, 0)?.status === 'EXITED'
  if (isStopped && read !== null && read.status !== 'EXITED')
    inconclusive('reads show a status late, so a pod that is shown before RUNNING may be RUNNING')
}
