import { membersOf } from '../../harness/exchange/read.ts'
import type { StoredPod } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { comesBack, does, doesToo, later, refuses } from './action-tools.ts'
import { all, defect, is, type Json, onJson, part, readOf, succeeded } from './tools.ts'

export const listDelete: readonly Defect[] = [
  defect('delete-of-exited-refused', 'pods.delete', 'answered', {
    says: 'DELETE of a pod that is EXITED is refused.',
    observed: 'status 409',
    variation: { branch: 'EXITED' },
    change: refuses({ status: 'EXITED', action: 'terminate' }),
  }),
  defect('delete-ignored', 'pods.delete', 'gone', {
    says: 'DELETE of a pod that is RUNNING is answered 204, and the pod stays.',
    observed: 'status RUNNING',
    change: does({ status: 'RUNNING', action: 'terminate' }, () => {}),
  }),
  defect('delete-leaves-cpu-pods', 'pods.delete', 'gone', {
    says: 'DELETE of a CPU pod only stops it.',
    observed: 'status EXITED',
    change: part('transition', (next, pod, action, service) => {
      const isKept = action === 'terminate' && 'cpu' in pod.hardware
      if (!isKept) next()
      else if (pod.status !== 'EXITED') service.parts.transition(pod, 'stop', service)
    }),
  }),
  defect('delete-of-starting-ignored', 'pods.delete', 'gone', {
    says: 'DELETE of a pod that is STARTING is answered 204, and the pod becomes RUNNING.',
    observed: 'status RUNNING',
    variation: { branch: 'STARTING' },
    wrap: (fetch) => async (request) => {
      const pod = is.delete(request) ? membersOf(await (await fetch(readOf(request))).json()) : null
      return pod?.status === 'STARTING' ? new Response(null, { status: 204 }) : fetch(request)
    },
  }),
  defect('deleted-pod-comes-back', 'pods.delete', 'stays-gone', {
    says: 'A second after its DELETE a pod is there again.',
    observed: 'status EXITED',
    change: comesBack,
  }),
  defect('list-lacks-network-pods', 'pods.list.contains', 'listed', {
    says: 'The list lacks pods with a network mount.',
    observed: 'a list without it',
    wrap: lists((pods) => pods.filter(({ mounts }) => membersOf(mounts)?.network === undefined)),
  }),
  defect('list-lacks-stopped-pods', 'pods.list.contains', 'listed', {
    says: 'The list lacks pods that are EXITED.',
    observed: 'a list without it',
    wrap: lists((pods) => pods.filter(({ status }) => status !== 'EXITED')),
  }),
  defect('deleted-while-provisioning-stays-listed', 'pods.action.terminate-is-final', 'on-its-way', {
    says: 'A pod that was terminated while PROVISIONING is shown in the list again.',
    observed: 'status "PROVISIONING" in the list',
    variation: { seenIn: 'the list too' },
    wrap: (fetch) => {
      const young: Json[] = []
      const listed = lists((pods) => [...pods, ...young])(fetch)
      return async (request) => {
        const before = is.action(request) ? membersOf(await (await fetch(readOf(request))).json()) : null
        const response = await listed(request)
        if (response.status === 204 && before?.status === 'PROVISIONING') young.push(before)
        return response
      }
    },
  }),
  defect('list-forgets-stopped-pods', 'pods.list.contains', 'listed', {
    says: 'The list shows a pod that is EXITED for half a second only.',
    observed: 'a list without it',
    change: (base) => {
      const hidden = new Set<StoredPod>()
      const hides = later(500, (pod) => void hidden.add(pod))
      return all(
        doesToo({ action: 'stop' }, hides),
        part('listPods', (next) => next().filter((pod) => !hidden.has(pod))),
      )(base)
    },
  }),
  defect('list-lacks-restarted-pods', 'pods.list.contains', 'listed', {
    says: 'The list lacks pods that are EXITED and were restarted before.',
    observed: 'a list without it',
    variation: { history: 'restarted' },
    change: (base) => {
      const restarted = new Set<StoredPod>()
      return all(
        doesToo({ action: 'restart' }, (pod) => void restarted.add(pod)),
        part('listPods', (next) => next().filter((pod) => pod.status !== 'EXITED' || !restarted.has(pod))),
      )(base)
    },
  }),
  defect('list-lacks-failed-pods', 'pods.list.contains', 'listed', {
    says: 'The list lacks pods that are in ERROR.',
    observed: 'a list without it',
    variation: { branch: 'ERROR' },
    wrap: lists((pods) => pods.filter(({ status }) => status !== 'ERROR')),
  }),
  defect('list-lacks-locked-pods', 'pods.list.contains', 'listed', {
    says: 'The list lacks pods that are locked.',
    observed: 'a list without it',
    variation: { branch: 'locked' },
    wrap: lists((pods) => pods.filter(({ locked }) => locked === false)),
  }),
  defect('list-shows-starting-pods-twice', 'pods.list.distinct', 'once', {
    says: 'The list shows each pod that is PROVISIONING or STARTING twice.',
    observed: 'a pod twice',
    wrap: lists((pods) => [
      ...pods,
      ...pods.filter(({ status }) => status === 'PROVISIONING' || status === 'STARTING'),
    ]),
  }),
  defect('locked-pod-outlives-its-end', 'pods.list.distinct', 'removed', {
    says: 'terminate of a locked pod is answered 204, and the pod stays.',
    observed: 'status RUNNING',
    variation: { seenIn: 'the list too' },
    tour: ['pods.action.locked-terminate', 'pods.action.terminate-is-final'],
    change: part('transition', (next, pod, action) => {
      if (action !== 'terminate' || !pod.locked) next()
    }),
  }),
  defect('list-shows-running-pods-twice', 'pods.list.contains', 'once', {
    says: 'The list shows each pod that is RUNNING twice.',
    observed: '2 times',
    wrap: lists((pods) => [...pods, ...pods.filter(({ status }) => status === 'RUNNING')]),
  }),
]

/** The list, an array or the member `pods`, holds other pods. */
export function lists(change: (pods: readonly Json[]) => readonly Json[]) {
  const other = (pods: unknown) => change(pods as readonly Json[])
  return onJson(succeeded(is.list), (json) => (Array.isArray(json) ? other(json) : { ...json, pods: other(json.pods) }))
}
