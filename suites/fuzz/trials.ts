import type { PodAction, PodStatus } from '../../generated/tables.ts'
import { raw } from '../../harness/client/body.ts'
import { show } from '../../harness/exchange/read.ts'
import { planeOf } from '../../harness/fixtures/pod-body.ts'
import type { PodShape } from '../../harness/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { patchablePod, sameMounts, shown } from '../shared/patching.ts'
import { orAgain } from './again.ts'
import { caseText, enumerate, type FuzzCase } from './cases.ts'
import type { After } from './oracle.ts'
import type { Trial } from './trial.ts'

/** Action calls on a pod in this status. */
export function actionTrial(context: Context, status: Extract<PodStatus, 'RUNNING' | 'EXITED'>): Trial {
  return {
    operation: 'triggerPodAction',
    isPodless: false,
    make: () => orAgain(() => context.fixture.pod(status)),
    situation: (pod) => ({ operation: 'triggerPodAction', status: pod.status as PodStatus }),
    send: (pod, bytes, options) => context.pods.actWith(pod.id, raw(bytes), options),
    async accepted(pod, after, what) {
      const ends = new Set(after.map((one) => (one.kind === 'action' ? one.to : pod.status)))
      const rest = await context.settle(pod.id, (seen) => ends.has(asStatus(seen)))
      // What the plain action does not do either is for its own row to say.
      if (!rest.settled && !(await isPlainCarriedOut(context, status, after))) return null
      const expected = `status ${[...ends].join(' or ')}`
      context
        .check('carried-out')
        .that(rest.settled, expected, `status ${rest.status} after ${caseText(what)}`, rest.reply)
      return null
    },
  }
}

/** True if the action of a body is carried out when it is requested plainly. */
async function isPlainCarriedOut(
  context: Context,
  status: Parameters<typeof actionTrial>[1],
  after: readonly After[],
): Promise<boolean> {
  for (const one of after) {
    if (one.kind !== 'action') continue
    const twin = await orAgain(() => context.fixture.pod(status))
    await context.pods.act(twin.id, one.action)
    const { settled } = await context.settle(twin.id, (seen) => asStatus(seen) === one.to)
    if (!settled) return false
  }
  return true
}

/** PATCHes of a pod with this mount; `volumeCenter` is the data center of the volume, as a pod that mounts it shows it. */
export function patchTrial(context: Context, shape: PodShape, volumeCenter: unknown): Trial {
  const { gpu, volumeSecond } = planeOf(context.target)
  const kind = shape.kind ?? (gpu === null ? 'cpu' : 'gpu')
  const otherVolumes = volumeSecond === null ? [] : [volumeSecond]
  return {
    operation: 'updatePod',
    isPodless: false,
    make: () => orAgain(() => patchablePod(context, shape)),
    situation: ({ value: { mounts, dataCenterId } }) => ({
      operation: 'updatePod',
      kind,
      mounts,
      otherVolumes,
      isVolumeThere: typeof dataCenterId === 'string' && dataCenterId === volumeCenter,
    }),
    send: (pod, bytes, options) => context.pods.patch(pod.id, raw(bytes), options),
    async accepted(pod, after, what) {
      const wanted = after.map((one) => mountsAfter(one, pod.value.mounts))
      const rest = await shown(context, pod.id, ({ value }) =>
        wanted.some((mounts) => mounts === null || sameMounts(value.mounts, mounts)),
      )
      const seen = rest.pod === null ? `answer ${rest.reply.status}` : `mounts ${show(rest.pod.value.mounts)}`
      const expected = wanted.map((mounts) => `mounts ${show(mounts)}`).join(' or ')
      context.check('mount').that(rest.settled, expected, `${seen} after ${caseText(what)}`, rest.reply)
      return rest.pod
    },
  }
}

/** Valid bodies of the actions, as they are. */
export function actionsAsTheyAre(...actions: readonly PodAction[]): FuzzCase[] {
  return actions.flatMap((action) => enumerate({ action }, 'PodActionRequest').slice(0, 1))
}

/** A terminated pod is gone, or is shown as TERMINATED. */
function asStatus(seen: string): string {
  return seen === 'gone' ? 'TERMINATED' : seen
}

/** The mounts afterwards; null if they cannot be foretold. */
function mountsAfter(after: After, before: unknown): unknown {
  if (after.kind === 'mounts') return after.mounts
  return before
}
