import type { OperationId } from '../../generated/operations.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { type Members, membersOf, type PodView, podOf, textIn } from '../../harness/exchange/read.ts'
import { changeOf } from '../../harness/planes/pods/fixtures/change.ts'
import type { Context } from '../../harness/rule/context.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import { creates } from '../pods/creation.ts'
import { triesToChange } from '../shared/changing.ts'
import { entriesOf, listHolding, named } from '../shared/listing.ts'
import { mountIn } from '../shared/patching.ts'
import { expectUnchanged } from '../shared/unchanged.ts'
import { type AuthPlane, type AuthRequest, createTwins, secretText } from './plane.ts'
import type { Scope } from './table.ts'

/** Requests about a stopped pod; for another account also stop, restart and terminate of a RUNNING one. */
export const pods: AuthPlane = {
  options: { varies: [...anyPod, 'order', 'sample'] },
  partOf: { listCpuFlavors: 'catalog' },
  reads: ({ as }) => [{ operation: 'listPods', send: (key, options) => as(key).list(options) }],
  async arrange(context, wanted, scope) {
    const { as, fixture, target } = context
    const secret = secretText(context)
    const env = { ...membersOf(target.pods?.extra.env), PLUMBLINE: secret }
    const first = await fixture.pod('RUNNING', scope === 'owned' ? { more: { env } } : {})
    const arranged = await workingPods(context, first, wanted, scope)
    const { pod, requests, expectNoEffect } = arranged
    const others = scope === 'owned' ? [await fixture.pod('RUNNING')] : []
    const actions = others.flatMap(({ id }) =>
      (['stop', 'restart', 'terminate'] as const).map((action): AuthRequest => {
        return { operation: 'triggerPodAction', send: (key, options) => as(key).act(id, action, options) }
      }),
    )
    // A cache may keep the response that the owner got.
    const reads = requests.filter(({ operation }) => operation === 'getPod' || operation === 'listPods')
    const rereads = reads.map(({ operation, send }): AuthRequest => {
      const again: AuthRequest['send'] = async (key, options) => {
        await send('full')
        return send(key, options)
      }
      return { operation, send: again }
    })
    return {
      ...arranged,
      requests: [...requests, ...actions, ...rereads],
      expectNoEffect: () => expectNoEffect(...others),
      secrets: () => ({ 'the name of the pod': textIn(pod.value.name), 'a variable of the pod': secret }),
      expectUnlisted: () => expectUnlisted(context, pod.id),
    }
  },
}

/** PATCHes of one member each, for members that the owner may send again unchanged. */
async function patchesOf({ as, notJudged, pods }: Context, { id, value }: PodView): Promise<readonly AuthRequest[]> {
  const requests: AuthRequest[] = []
  const others: Readonly<Record<string, Members>> = {
    // The refusal may repeat the body, and the owner's variables are secrets.
    env: { env: { PLUMBLINE: 'another account' } },
    // A volume of another account would be another fault.
    ...(mountIn(value) === 'network' && { mounts: { mounts: {} } }),
  }
  for (const name of ['args', 'disk', 'env', 'mounts', 'ports']) {
    const own = { [name]: value[name] }
    const { status } = await pods.patch(id, own)
    if (!isSuccess(status)) {
      notJudged(`PATCH of ${name}`, `with a full key it is answered ${status}`)
      continue
    }
    const body = { ...own, ...others[name] }
    requests.push({ operation: 'updatePod', send: (key, options) => as(key).patch(id, body, options) })
  }
  return requests
}

/** Requests on a pod that was RUNNING. It is stopped first: updatePod may be refused before that. */
export async function workingPods(
  context: Context,
  first: PodView,
  wanted: readonly OperationId[],
  scope: Scope = 'all',
) {
  const { id } = first
  const { as, fixture, inconclusive, notJudged, pods, settle } = context
  const twins = createTwins(context)
  const created = await creates(context, await fixture.body({ fields: 'few' }))
  if (twins.works('createPod', created)) {
    const other = await fixture.createdId(created)
    if (other !== null) twins.works('deletePod', await deletes(context, other))
  }
  const isStopped =
    isSuccess((await pods.act(id, 'stop')).status) && (await settle(id, (status) => status === 'EXITED')).settled
  if (!isStopped) twins.works('triggerPodAction', await pods.act(id, 'restart'))
  const patches = scope === 'owned' ? await patchesOf(context, first) : []
  const read = await pods.get(id)
  const before = podOf(read.json, read.exchange.n) ?? inconclusive(`getPod was answered ${read.status} with a full key`)
  const tried = await triesToChange(context, before)
  if ('said' in tried) {
    // A late effect would be blamed on a refused request.
    if (tried.isTaken) inconclusive(tried.said)
    if (tried.isAbsent) notJudged('updatePod', tried.said)
    else twins.works('updatePod', read, tried.said)
  }
  const offered = 'said' in tried && tried.isAbsent ? wanted.filter((one) => one !== 'updatePod') : wanted
  const { pod, another } =
    'said' in tried ? { pod: before, another: (mark: string) => changeOf(context, before, mark) } : tried
  const body = await fixture.body({ fields: 'few' })
  const requests = await twins.requests<'pods'>(offered, {
    ids: { id },
    calls: {
      createPod: { body },
      updatePod: { body: another('c') },
      triggerPodAction: { body: { action: isStopped ? 'start' : 'restart' } },
    },
    send: (operation, key, call) => as(key).call(operation, call),
  })
  return {
    /** The pod that the requests are about, EXITED; RUNNING if it cannot be stopped. */
    pod,
    requests: [...patches, ...requests],
    /** The pod is as it was, as are `others`, and no other pod was created. */
    async expectNoEffect(...others: readonly PodView[]) {
      await expectUnchanged(context, pod, ...others)
      if (requests.some(({ operation }) => operation === 'createPod')) await expectNotCreated(context, body.name)
    },
    expectAllWorked: () => twins.expectAllWorked(offered),
  }
}

/** Deletes a new pod; once it is RUNNING if it cannot be deleted before, which a rule of its own judges. */
async function deletes({ pods, settle }: Context, id: string): Promise<ApiResponse> {
  const early = await pods.delete(id)
  if (isSuccess(early.status)) return early
  await settle(id, (status) => status === 'RUNNING')
  return pods.delete(id)
}

async function expectUnlisted(context: Context, id: string): Promise<void> {
  const { as, check, inconclusive } = context
  await listHolding(context, id)
  const list = await as('stranger').list()
  const listed = entriesOf(context, list)
  if (listed === null)
    return inconclusive(`the list is answered ${list.status} to the stranger, whose key may be no good`)
  const isListed = listed.some((entry) => entry.id === id)
  check('not-listed').that(!isListed, 'a list without the pod of another account', 'the pod of another account', list)
}

/** A pod that is created after the refused one is in the list; the refused one would be there as well. */
async function expectNotCreated(context: Context, name: unknown): Promise<void> {
  const { pods, fixture, check, inconclusive } = context
  const created = await creates(context, await fixture.body({ fields: 'few' }))
  const later = await fixture.createdId(created)
  if (later === null) return inconclusive(`a creation was answered ${created.status} without an id`)
  const { response, listed } = await listHolding(context, later)
  await pods.delete(later)
  const found = await named(context, listed, [String(name)])
  // The ledger recorded this creation as refused, so what it made is removed here.
  for (const one of found) await pods.delete(one.id)
  const expected = 'a list without the pod whose creation was refused'
  check('not-created').that(found.length === 0, expected, 'the pod whose creation was refused', response)
}
