import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { livelyFields, membersOf, type PodView, show } from '../../harness/exchange/read.ts'
import { changeOf, shows } from '../../harness/planes/pods/fixtures/change.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod, aPod } from '../../harness/variation/dimensions.ts'
import { expectListedAs, listUntil } from '../shared/listing.ts'
import { shown } from '../shared/patching.ts'
import { poll } from '../shared/poll.ts'
import { expectKept } from '../shared/unchanged.ts'
import { startPod, stopPod } from './answers.ts'
import { expectRestarted, restartPod, runMs } from './restarted.ts'

/** No history: its steps are what these rules judge, and a pod that lost something there would be the measure. */
const aFreshPod = [...aPod, 'sibling'] as const

rule('pods.action.start-restores', { varies: aFreshPod }, async (context) => {
  const { fixture, target } = context
  const env = { ...membersOf(target.pods?.extra.env), PLUMBLINE: 'kept', PLUMBLINE_REMOVED: 'by a PATCH' }
  const before = await fixture.pod('RUNNING', { optional: { env } })
  const { chosen, aside } = await withOtherVariables(context, before, await stopPod(context, before.id))
  expectKept(context, 'kept', chosen, await startPod(context, before), aside)
  await stopPod(context, before.id)
  const again = await startPod(context, before)
  expectKept(context, 'kept', chosen, again, aside)
  // A PATCH that no read has shown yet may be shown between a read and the list.
  if (!aside.includes('env')) await expectListedAs(context, 'kept', again)
})

/** The pod with other variables: while it is EXITED, a PATCH adds one and leaves one out, if the target has such PATCHes. */
async function withOtherVariables(context: Context, before: PodView, exited: PodView) {
  const { notJudged, part, pods } = context
  const same = { chosen: before, aside: [...livelyFields] }
  if (!part('pods.change')) return same
  const { PLUMBLINE_REMOVED: _, ...left } = membersOf(exited.value.env) ?? {}
  const body = changeOf(context, { ...exited, value: { env: left } }, 'b', 'env')
  if (!isSuccess((await pods.patch(exited.id, body)).status)) {
    notJudged('other variables', 'the PATCH is refused')
    return same
  }
  const read = await shown(context, exited.id, (seen) => shows(seen, body))
  // It may be carried out by the start.
  if (!read.settled || read.pod === null) {
    notJudged('variables', 'the PATCH of an EXITED pod was not carried out before its start')
    return { ...same, aside: [...livelyFields, 'env'] }
  }
  return { ...same, chosen: { ...before, value: { ...before.value, env: read.pod.value.env } } }
}

/** Restarts of one pod in a row: a platform may carry out the first alone. */
const restartsEach = 2

rule('pods.action.restart-restarts', { varies: aFreshPod }, async (context) => {
  const { fixture } = context
  const { id } = await fixture.pod('RUNNING')
  for (let n = 0; n < restartsEach; n++) await expectRestart(context, id)
})

/** A restart of a RUNNING pod starts its container over, and leaves everything that was chosen for the pod. */
async function expectRestart(context: Context, id: string): Promise<void> {
  const { check, clock, pods } = context
  await clock.sleep(runMs)
  const before = check('kept').pod(await pods.get(id))
  const response = await restartPod(context, id)
  expectKept(context, 'kept', before, await expectRestarted(context, before, response))
}

rule('pods.action.terminate-equals-delete', { varies: anyPod }, async (context) => {
  const { blocked, check, fixture, pods, settle, target } = context
  const twins = [await fixture.pod('RUNNING'), await fixture.pod('RUNNING')] as const
  const keeper = await fixture.pod('RUNNING')
  const terminated = await pods.act(twins[0].id, 'terminate')
  const deleted = await pods.delete(twins[1].id)
  if (!isSuccess(terminated.status))
    blocked('pods.action.running.terminate', `terminate was answered ${terminated.status}`)
  if (!isSuccess(deleted.status)) blocked('pods.delete', `DELETE was answered ${deleted.status}`)
  for (const { id } of twins) await settle(id, (seen) => seen === 'gone' || seen === 'TERMINATED')
  // Their removals may fall between two reads, so both are read until they are alike.
  const shown = async () => [await pods.get(twins[0].id), await pods.get(twins[1].id)] as const
  const [first, second] = await poll(context, target.tolerances.settleMs, shown, areAlike)
  check('get').that(areAlike([first, second]), `as after DELETE: ${stateIn(second)}`, stateIn(first), first)
  const list = async () => {
    const { listed, response } = await listUntil(context, keeper.id)
    return { response, areListed: twins.map(({ id }) => listed.some((entry) => entry.id === id)) }
  }
  const { areListed, response } = await poll(
    context,
    target.tolerances.visibleMs,
    list,
    ({ areListed: [a, b] }) => a === b,
  )
  const [isListed, isListedToo] = areListed
  const text = (is = false) => (is ? 'in the list' : 'not in the list')
  check('list').that(isListed === isListedToo, `as after DELETE: ${text(isListedToo)}`, text(isListed), response)
})

/** True if two responses to GET show the same state. */
function areAlike([one, other]: readonly [ApiResponse, ApiResponse]): boolean {
  return stateIn(one) === stateIn(other)
}

/** The HTTP status and the pod's status in a response to GET. */
function stateIn({ json, status }: ApiResponse): string {
  return `${status} ${show(membersOf(json)?.status ?? null)}`
}
