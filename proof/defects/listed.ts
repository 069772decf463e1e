import type { RuleId } from '../../generated/rules.ts'
import { tables } from '../../generated/tables.ts'
import type { Defect } from '../types.ts'
import { lists } from './list-delete.ts'
import { defect, is, type Json, onJson, requestOf, succeeded, type Wrap } from './tools.ts'

/** Bugs that only the list shows: reads show the pod or endpoint as it is. */
export const listed: readonly Defect[] = [
  inList('list-keeps-running', 'pods.action.running.stop', 'becomes-exited', {
    says: 'The list shows a stopped pod as RUNNING.',
    observed: 'status "RUNNING" in the list',
    wrap: lists((pods) => pods.map((pod) => (pod.status === 'EXITED' ? { ...pod, status: 'RUNNING' } : pod))),
  }),
  inList('list-keeps-actions', 'pods.action.exited.start', 'becomes-running', {
    says: 'The list shows the actions of a pod that was started as before the start.',
    observed: `actions ${JSON.stringify(tables.actions.EXITED)} in the list`,
    wrap: lists((pods) => pods.map((pod) => ({ ...pod, actions: tables.actions.EXITED }))),
  }),
  inList('list-shows-refused-action', 'pods.action.exited.restart', 'unchanged', {
    says: 'The list shows a pod whose restart was refused as STARTING.',
    observed: 'status "STARTING" in the list',
    wrap: lists((pods) => pods.map((pod) => (pod.status === 'EXITED' ? { ...pod, status: 'STARTING' } : pod))),
  }),
  inList('list-keeps-terminated', 'pods.action.running.terminate', 'becomes-terminated', {
    says: 'The list shows a terminated pod as it was.',
    observed: 'status "RUNNING" in the list',
    wrap: keepsPods,
  }),
  inList('list-keeps-deleted', 'pods.delete', 'stays-gone', {
    says: 'The list shows a deleted pod as it was.',
    observed: 'status "RUNNING" in the list',
    wrap: keepsPods,
  }),
  inList('list-keeps-env', 'pods.patch.others', 'others', {
    says: 'The list shows the variables of a pod without those of a PATCH.',
    observed: 'env {} in the list',
    wrap: lists((pods) => pods.map((pod) => ({ ...pod, env: {} }))),
  }),
  inList('list-keeps-mounts', 'pods.patch.network-path', 'changed', {
    says: 'The list shows a mount at the path that a PATCH has changed.',
    observed: 'mounts {"network":[{"volumeId":"vol-1","path":"/workspace"}]} in the list',
    wrap: lists((pods) =>
      pods.map((pod) => ({ ...pod, mounts: JSON.parse(JSON.stringify(pod.mounts).replace('-b"', '"')) })),
    ),
  }),
  defect('list-shows-no-lock', 'pods.shape.id-matches', 'kept', {
    says: 'The list shows locked pods as unlocked.',
    observed: 'another locked',
    tour: ['pods.list.contains'],
    wrap: lists((pods) => pods.map((pod) => ({ ...pod, locked: false }))),
  }),
  defect('list-shows-disk-as-text', 'pods.shape.disk', 'disk', {
    says: 'The list shows the size of each disk as a text.',
    observed: 'disk: "20"',
    tour: ['pods.list.contains'],
    wrap: lists((pods) => pods.map((pod) => ({ ...pod, disk: String(pod.disk) }))),
  }),
  inList('list-shows-default-image', 'pods.create.gpu', 'there', {
    says: 'The list shows every pod with a default image.',
    observed: 'image "default" in the list',
    wrap: lists((pods) => pods.map((pod) => ({ ...pod, image: 'default' }))),
  }),
  defect('list-keeps-idle-timeout', 'endpoints.update-keeps', 'kept', {
    says: 'The list of endpoints shows the idleTimeout of the creation after an update.',
    observed: 'idleTimeout 13 in the list',
    wrap: onJson(succeeded(requestOf('listEndpoints')), (all) =>
      (all as unknown as readonly Json[]).map((one) => ({ ...one, idleTimeout: 13 })),
    ),
  }),
]

function inList(id: string, rule: RuleId, clause: string, more: Omit<Defect, 'id' | 'rule' | 'clause'>): Defect {
  return defect(id, rule, clause, { variation: { seenIn: 'the list too' }, ...more })
}

/** Pods that a read has shown as RUNNING stay in the list. */
function keepsPods(fetch: Parameters<Wrap>[0]): ReturnType<Wrap> {
  const known = new Map<unknown, Json>()
  const learning = onJson(succeeded(is.get), (pod) => {
    if (pod.status === 'RUNNING') known.set(pod.id, pod)
    return pod
  })
  const keeping = lists((pods) => {
    const shown = new Set(pods.map(({ id }) => id))
    return [...pods, ...[...known.values()].filter(({ id }) => !shown.has(id))]
  })
  return keeping(learning(fetch))
}
