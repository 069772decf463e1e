import { isSuccess } from '../../harness/exchange/exchange.ts'
import { changedFields, membersOf, type PodView, show } from '../../harness/exchange/read.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import { listUntil } from '../shared/listing.ts'
import { poll } from '../shared/poll.ts'
import { retryWhileScarce } from './answers.ts'

/** Members that a start, stop or restart may change. */
const lively: ReadonlySet<string> = new Set([
  'status',
  'actions',
  'runtime',
  'cost',
  'startedAt',
  'globalNetworking',
  'dataCenterId',
])
/** How long a pod runs before it is restarted, ms. */
const runMs = 5_000
/** How long metrics may be cached, ms. */
const cachedMs = 60_000
const slackMs = 2_000

rule('pods.action.start-restores', { varies: anyPod }, async (context) => {
  const { blocked, fixture, pods, settle, settleStarted } = context
  const before = await fixture.pod('RUNNING')
  const { id } = before
  const { status } = await pods.act(id, 'stop')
  const isStopped = isSuccess(status) && (await settle(id, (seen) => seen === 'EXITED')).settled
  if (!isStopped) blocked('pods.action.running.stop', `stop was answered ${status}, and the pod did not become EXITED`)
  const started = await retryWhileScarce(context, before, () => pods.act(id, 'start'))
  const rest = await settleStarted(id)
  if (rest.pod === null || rest.status !== 'RUNNING')
    return blocked('pods.action.exited.start', `start was answered ${started.status}, and the pod is ${rest.status}`)
  expectKept(context, before, rest.pod)
})

rule('pods.action.restart-restarts', { varies: anyPod }, async (context) => {
  const { blocked, check, clock, fixture, inconclusive, pods, settle } = context
  const { id } = await fixture.pod('RUNNING')
  await clock.sleep(runMs)
  const before = check('kept').pod(await pods.get(id))
  const response = await pods.act(id, 'restart')
  if (!isSuccess(response.status)) blocked('pods.action.running.restart', `restart was answered ${response.status}`)
  const sentMs = response.exchange.sent.target
  const rest = await settle(id, (seen) => seen === 'RUNNING')
  if (rest.pod === null) return blocked('pods.action.running.restart', `after restart the pod is ${rest.status}`)
  const later = await poll(
    context,
    cachedMs + runMs,
    () => pods.get(id),
    (read) => hasRestarted(before, read.json, read.exchange.received.target - sentMs),
  )
  const after = check('kept').pod(later)
  expectKept(context, before, after)
  const isRestarted = hasRestarted(before, later.json, later.exchange.received.target - sentMs)
  if (!isRestarted && uptimeIn(after.value) === null)
    inconclusive('startedAt has not moved, and the runtime shows no uptime')
  check('restarted').that(isRestarted, 'an uptime that starts over, or a later startedAt', 'neither', later)
})

rule('pods.action.terminate-equals-delete', { varies: anyPod }, async (context) => {
  const { blocked, check, fixture, pods, settle } = context
  const twins = [await fixture.pod('RUNNING'), await fixture.pod('RUNNING')] as const
  const keeper = await fixture.pod('RUNNING')
  const terminated = await pods.act(twins[0].id, 'terminate')
  const deleted = await pods.delete(twins[1].id)
  if (!isSuccess(terminated.status))
    blocked('pods.action.running.terminate', `terminate was answered ${terminated.status}`)
  if (!isSuccess(deleted.status)) blocked('pods.delete', `DELETE was answered ${deleted.status}`)
  for (const { id } of twins) await settle(id, (seen) => seen === 'gone' || seen === 'TERMINATED')
  const shown = []
  for (const { id } of twins) shown.push(await pods.get(id))
  const [one = '', other = ''] = shown.map(({ json, status }) => `${status} ${show(membersOf(json)?.status ?? null)}`)
  check('get').that(one === other, `as after DELETE: ${other}`, one, shown[0] ?? null)
  const { listed, response } = await listUntil(context, keeper.id)
  const [isListed, isListedToo] = twins.map(({ id }) => listed.some((entry) => entry.id === id))
  const text = (is = false) => (is ? 'in the list' : 'not in the list')
  check('list').that(isListed === isListedToo, `as after DELETE: ${text(isListedToo)}`, text(isListed), response)
})

/** All that was chosen for a pod is as before. */
function expectKept({ check }: Context, before: PodView, after: PodView): void {
  const changed = changedFields(before.value, after.value, lively)
  const text = ({ value }: PodView) => changed.map((name) => `${name} ${show(value[name])}`).join(', ')
  check('kept').that(changed.length === 0, text(before), text(after), after)
}

/** True if a pod shows that its container began anew, at most `sinceMs` ago. */
function hasRestarted(before: PodView, json: unknown, sinceMs: number): boolean {
  const after = membersOf(json) ?? {}
  const [started, startedBefore] = [after.startedAt, before.value.startedAt].map((time) => Date.parse(String(time)))
  if (started !== undefined && startedBefore !== undefined && started > startedBefore) return true
  const uptime = uptimeIn(after)
  return uptime !== null && uptime * 1_000 <= sinceMs + slackMs
}

function uptimeIn(pod: Readonly<Record<string, unknown>>): number | null {
  const uptime = membersOf(pod.runtime)?.uptime
  return typeof uptime === 'number' ? uptime : null
}
