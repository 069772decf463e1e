import type { CallOptions, PodClient } from '../harness/client/pods.ts'
import type { Reply } from '../harness/client/reply.ts'
import type { Context } from '../harness/context.ts'
import type { PodOperation } from '../harness/exchange.ts'
import { changeOf } from '../harness/fixtures/change.ts'
import { idIn, type PodView } from '../harness/read.ts'
import { changed } from '../pods/changing.ts'
import { staysUnchanged } from '../pods/unchanged.ts'
import { listHolding } from './listing.ts'

export type Send = (client: PodClient, options?: CallOptions) => Promise<Reply>

/** A whole, valid request of each operation, on a pod that is there and in a status that permits it. */
export interface WorkingPlane {
  /** The pod that the requests are about, EXITED. */
  readonly pod: PodView
  readonly requests: Readonly<Record<PodOperation, Send>>
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

/** Every operation of the plane, the one that would remove a pod last. */
export function allOperations({ part }: Context): readonly PodOperation[] {
  return ['listPods', 'createPod', ...(part('catalog') ? (['listCpuFlavors'] as const) : []), ...onePod]
}

/**
 * The operations of the pod plane, each shown to work with the owner's key, so that a refusal of the same request is for
 * its key alone. The pod is stopped first: updatePod may be answered 409 before that. Ends the rule as inconclusive
 * where one does not work.
 */
export async function workingPlane(
  context: Context,
  running: PodView,
  offered: readonly PodOperation[] = onePod,
): Promise<WorkingPlane> {
  const { pods, fixture, settle, inconclusive } = context
  const { id } = running
  works(context, 'listPods', await pods.list())
  works(context, 'getPod', await pods.get(id))
  works(context, 'triggerPodAction', await pods.act(id, 'stop'))
  if (offered.includes('listCpuFlavors')) works(context, 'listCpuFlavors', await pods.cpus())
  const created = await createdPod(context, await fixture.body())
  works(context, 'deletePod', await pods.delete(created))
  const { pod: exited } = await settle(id, (status) => status === 'EXITED')
  if (exited?.status !== 'EXITED') return inconclusive('a pod was not stopped in time')
  const change = changeOf(context, exited, 'a')
  works(context, 'updatePod', await pods.patch(id, change))
  const pod = await changed(context, id, change)
  const body = await fixture.body()
  return {
    pod,
    requests: {
      listPods: (client, options) => client.list(options),
      createPod: (client, options) => client.create(body, options),
      listCpuFlavors: (client, options) => client.cpus(options),
      getPod: (client, options) => client.get(id, options),
      updatePod: (client, options) => client.patch(id, changeOf(context, exited, 'b'), options),
      triggerPodAction: (client, options) => client.act(id, 'start', options),
      deletePod: (client, options) => client.delete(id, options),
    },
    async nothingDone() {
      await staysUnchanged(context, pod)
      await isNotCreated(context, body.name)
    },
  }
}

/** A pod that is created after the refused one is in the list; the refused one would be there as well. */
async function isNotCreated(context: Context, name: unknown): Promise<void> {
  const { pods, fixture, check } = context
  const later = await createdPod(context, await fixture.body())
  const { reply, listed } = await listHolding(context, later)
  await pods.delete(later)
  const found = listed.find((pod) => pod.value.name === name)
  // The ledger of resources took the refusal for a refusal: what was created all the same is removed here.
  if (found) await pods.delete(found.id)
  check('not-created').that(
    found === undefined,
    'a list without the pod whose creation was refused',
    'the pod whose creation was refused',
    reply,
  )
}

async function createdPod(context: Context, body: Readonly<Record<string, unknown>>): Promise<string> {
  const reply = works(context, 'createPod', await context.pods.create(body))
  return idIn(reply.json) ?? context.inconclusive('a creation was answered without an id')
}

function works({ inconclusive, lacksCapacity }: Context, what: PodOperation, reply: Reply): Reply {
  if (lacksCapacity(reply)) inconclusive('the target has no capacity')
  if (reply.status < 300) return reply
  return inconclusive(`${what} was answered ${reply.status} with a full key, so a refusal tells nothing about the key`)
}
