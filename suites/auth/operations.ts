import type { CallOptions, PodClient } from '../harness/client/pods.ts'
import type { Reply } from '../harness/client/reply.ts'
import type { Context } from '../harness/context.ts'
import type { PodOperation } from '../harness/exchange.ts'
import { listOf, membersOf, type PodView, podOf } from '../harness/read.ts'
import { staysUnchanged } from '../pods/unchanged.ts'

export type Send = (client: PodClient, options?: CallOptions) => Promise<Reply>

/** A whole, valid request of each operation, on a pod that is there and in a status that permits it. */
export interface WorkingPlane {
  /** The pod that the requests are about, EXITED. */
  readonly pod: PodView
  readonly requests: Readonly<Record<PodOperation, Send>>
  /** Those that the target offers, the one that would remove the pod last. */
  readonly offered: readonly PodOperation[]
  /** Nothing came of the requests: the pod is as it was, and none was created. */
  nothingDone(): Promise<void>
}

/** Operations on one pod, the one that would remove it last. */
export const onePod = [
  'getPod',
  'updatePod',
  'triggerPodAction',
  'deletePod',
] as const satisfies readonly PodOperation[]

/**
 * The operations of the pod plane, each shown to work with the owner's key, so that a refusal of the same request is
 * for its key alone. Ends the rule as inconclusive where one does not.
 */
export async function workingPlane(context: Context): Promise<WorkingPlane> {
  const { pods, fixture, settle, offers, inconclusive, lacksCapacity } = context
  const works = (what: PodOperation, reply: Reply): Reply => {
    if (lacksCapacity(reply)) inconclusive('the target has no capacity')
    if (reply.status < 300) return reply
    return inconclusive(
      `${what} was answered ${reply.status} with a full key, so a refusal tells nothing about the key`,
    )
  }
  const running = await fixture.pod('RUNNING')
  works('listPods', await pods.list())
  works('getPod', await pods.get(running.id))
  works('updatePod', await pods.patch(running.id, { name: `${running.value.name}-a` }))
  works('triggerPodAction', await pods.act(running.id, 'stop'))
  if (offers('catalog')) works('listCpuFlavors', await pods.cpus())
  const created = membersOf(works('createPod', await pods.create(await fixture.body())).json)?.id
  if (typeof created !== 'string') return inconclusive('a creation was answered without an id')
  works('deletePod', await pods.delete(created))
  const { pod } = await settle(running.id, (status) => status === 'EXITED')
  if (pod?.status !== 'EXITED') return inconclusive('a pod was not stopped in time')

  const { id } = pod
  const body = await fixture.body()
  return {
    pod,
    requests: {
      listPods: (client, options) => client.list(options),
      createPod: (client, options) => client.create(body, options),
      listCpuFlavors: (client, options) => client.cpus(options),
      getPod: (client, options) => client.get(id, options),
      updatePod: (client, options) => client.patch(id, { name: `${running.value.name}-b` }, options),
      triggerPodAction: (client, options) => client.act(id, 'start', options),
      deletePod: (client, options) => client.delete(id, options),
    },
    offered: ['listPods', 'createPod', ...(offers('catalog') ? (['listCpuFlavors'] as const) : []), ...onePod],
    async nothingDone() {
      await staysUnchanged(context, pod)
      await isNotCreated(context, body.name)
    },
  }
}

async function isNotCreated({ pods, target, check, inconclusive }: Context, name: unknown): Promise<void> {
  const reply = await pods.list()
  const listed = listOf(reply.json, target.pods?.listAt ?? '')
  if (listed === null) return inconclusive(`the list was answered ${reply.status} without a list`)
  const found = listed.map((value) => podOf(value, reply.exchange.n)).find((pod) => pod?.value.name === name)
  // The ledger of resources took the refusal for a refusal: what was created all the same is removed here.
  if (found) await pods.delete(found.id)
  check('not-created').that(
    found === undefined,
    'no pod of the refused creation',
    'a pod of the refused creation',
    reply,
  )
}
