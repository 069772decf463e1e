import type { ApiResponse } from '../../harness/client/api-response.ts'
import type { CallOptions } from '../../harness/client/caller.ts'
import { isSuccess, type PodOperation } from '../../harness/exchange/exchange.ts'
import { type PodView, podOf } from '../../harness/exchange/read.ts'
import { changeOf } from '../../harness/fixtures/change.ts'
import type { PodClient } from '../../harness/planes/pods/client.ts'
import type { Context } from '../../harness/rule/context.ts'
import { creates } from '../pods/creation.ts'
import { triesToChange } from '../shared/changing.ts'
import { listHolding, named } from '../shared/listing.ts'
import { expectUnchanged } from '../shared/unchanged.ts'

export type Send = (client: PodClient, options?: CallOptions) => Promise<ApiResponse>

/** Operations on one pod, the one that would remove it last. */
export const onePod = [
  'getPod',
  'updatePod',
  'triggerPodAction',
  'deletePod',
] as const satisfies readonly PodOperation[]

/** Every operation of the plane, the one that would remove a pod last. */
export function allOperations({ part }: Context): readonly PodOperation[] {
  return ['listPods', 'createPod', ...(part('catalog') ? (['listCpuFlavors'] as const) : []), ...onePod]
}

/**
 * A valid request of each of these operations on a pod in a status that permits it, each shown to work with the owner's key, so that a refusal of the same request is for its
 * key alone. One that does not work is left out. The pod is stopped first: updatePod may be refused before that.
 */
export async function workingPlane(context: Context, running: PodView, wanted: readonly PodOperation[] = onePod) {
  const { pods, fixture, settle, inconclusive } = context
  const { id } = running
  const idle = new Map<PodOperation, string>()
  const works = (operation: PodOperation, { status }: ApiResponse): boolean => {
    if (!isSuccess(status)) idle.set(operation, `${operation} was answered ${status}`)
    return isSuccess(status)
  }
  if (wanted.includes('listPods')) works('listPods', await pods.list())
  works('getPod', await pods.get(id))
  if (wanted.includes('listCpuFlavors')) works('listCpuFlavors', await pods.cpus())
  const created = await creates(context, await fixture.body({ fields: 'few' }))
  if (works('createPod', created)) {
    const other = await fixture.createdId(created)
    if (other !== null) works('deletePod', await deletes(context, other))
  }
  const isStopped =
    isSuccess((await pods.act(id, 'stop')).status) && (await settle(id, (status) => status === 'EXITED')).settled
  if (!isStopped) works('triggerPodAction', await pods.act(id, 'restart'))
  const read = await pods.get(id)
  const before = podOf(read.json, read.exchange.n) ?? inconclusive(`getPod was answered ${read.status} with a full key`)
  const tried = await triesToChange(context, before)
  if ('said' in tried) {
    // What is carried out later would be laid at the door of what was refused.
    if (tried.isTaken) inconclusive(tried.said)
    idle.set('updatePod', tried.said)
  }
  const { pod, another } =
    'said' in tried ? { pod: before, another: (mark: string) => changeOf(context, before, mark) } : tried
  const body = await fixture.body({ fields: 'few' })
  const all: Readonly<Record<PodOperation, Send>> = {
    listPods: (client, options) => client.list(options),
    createPod: (client, options) => client.create(body, options),
    listCpuFlavors: (client, options) => client.cpus(options),
    getPod: (client, options) => client.get(id, options),
    updatePod: (client, options) => client.patch(id, another('c'), options),
    triggerPodAction: (client, options) => client.act(id, isStopped ? 'start' : 'restart', options),
    deletePod: (client, options) => client.delete(id, options),
  }
  return {
    /** The pod that the requests are about, EXITED; RUNNING if it cannot be stopped. */
    pod,
    /** The operations that work with the owner's key, the one that would remove a pod last. */
    requests: new Map(wanted.filter((name) => !idle.has(name)).map((name) => [name, all[name]])),
    /** Nothing came of the requests: the pod is as it was, as are `others`, and none was created. */
    async expectNoEffect(...others: readonly PodView[]) {
      await expectUnchanged(context, pod, ...others)
      if (!idle.has('createPod')) await expectNotListed(context, body.name)
    },
    /** Ends the rule as inconclusive if an operation was left out. */
    expectAllWorked() {
      const left = wanted.flatMap((operation) => idle.get(operation) ?? [])
      if (left.length > 0)
        inconclusive(`${left.join(', ')} with a full key, so a refusal does not show that the key is refused`)
    },
  }
}

/** Deletes a new pod; once it is RUNNING if it cannot be deleted before, which a rule of its own judges. */
async function deletes({ pods, settle }: Context, id: string): Promise<ApiResponse> {
  const early = await pods.delete(id)
  if (isSuccess(early.status)) return early
  await settle(id, (status) => status === 'RUNNING')
  return pods.delete(id)
}

/** A pod that is created after the refused one is in the list; the refused one would be there as well. */
async function expectNotListed(context: Context, name: unknown): Promise<void> {
  const { pods, fixture, check, inconclusive } = context
  const created = await creates(context, await fixture.body({ fields: 'few' }))
  const later = await fixture.createdId(created)
  if (later === null) return inconclusive(`a creation was answered ${created.status} without an id`)
  const { response, listed } = await listHolding(context, later)
  await pods.delete(later)
  const found = await named(context, listed, [String(name)])
  // The ledger of resources took the refusal for a refusal: what was created all the same is removed here.
  for (const one of found) await pods.delete(one.id)
  const expected = 'a list without the pod whose creation was refused'
  check('not-created').that(found.length === 0, expected, 'the pod whose creation was refused', response)
}
