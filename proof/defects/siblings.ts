import type { StoredPod } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { effectOf } from './action-tools.ts'
import { all, type Change, defect, idIn, is, jsonOf, part, serving } from './tools.ts'

/** Bugs that show only beside a pod with the same name or of the same moment, or after a refused request. */
export const siblings: readonly Defect[] = [
  defect('stop-by-name', 'pods.action.running.stop', 'becomes-exited', {
    says: 'stop is carried out on the youngest pod of the same name.',
    observed: 'status RUNNING',
    variation: { sibling: 'namesake' },
    change: part('transition', (next, pod, action, service) =>
      action === 'stop' ? next(youngest(pod, [...service.store.all()])) : next(),
    ),
  }),
  defect('patch-by-name', 'pods.patch.persistent-path', 'changed', {
    says: 'PATCH changes the youngest pod of the same name.',
    observed: 'mounts {"persistent":{"size":10,"path":"/workspace"}}',
    variation: { sibling: 'namesake' },
    change: part('patchPod', (next, pod, _body, service) => next(youngest(pod, [...service.store.all()]))),
  }),
  defect('start-of-namesake', 'pods.action.exited.start', 'becomes-running', {
    says: 'start of a pod is ignored while another pod of its name runs.',
    observed: 'status EXITED',
    variation: { sibling: 'namesake' },
    change: part('transition', (next, pod, action, service) => {
      const isTaken = [...service.store.all()].some((one) => one !== pod && one.name === pod.name)
      if (action !== 'start' || !isTaken) next()
    }),
  }),
  defect('restart-of-twins-stops', 'pods.action.running.restart', 'becomes-running', {
    says: 'restart stops a pod that was created in the same moment as another one.',
    observed: 'status EXITED',
    variation: { sibling: 'at once' },
    change: part('transition', (next, pod, action, service) => {
      const isTwin = [...service.store.all()].some((one) => one !== pod && one.createdAtMs === pod.createdAtMs)
      if (action === 'restart' && isTwin) effectOf('stop')(pod, service)
      else next()
    }),
  }),
  defect('start-ignored-after-401', 'pods.action.exited.start', 'becomes-running', {
    says: 'start is ignored for a pod that was once asked for without a key.',
    observed: 'status EXITED',
    variation: { history: 'refused before' },
    change: onceRefused(401, 'start'),
  }),
  defect('stop-ignored-after-not-json', 'pods.action.running.stop', 'becomes-exited', {
    says: 'stop is ignored for a pod that once got a body that is not JSON.',
    observed: 'status RUNNING',
    variation: { history: 'refused before' },
    change: onceRefused(400, 'stop'),
  }),
  defect('restart-stops-after-conflict', 'pods.action.running.restart', 'becomes-running', {
    says: 'restart stops a pod whose status did not permit an earlier action.',
    observed: 'status EXITED',
    variation: { history: 'refused before' },
    change: onceRefused(409, 'restart', 'stop'),
  }),
]

function youngest(pod: StoredPod, all: readonly StoredPod[]): StoredPod {
  return all.findLast(({ name }) => name === pod.name) ?? pod
}

/** An action does nothing, or what another one does, once a request about its pod was refused with a status. */
function onceRefused(status: number, action: 'start' | 'stop' | 'restart', instead?: 'stop'): Change {
  return (base) => {
    const refused = new Set<string>()
    return all(
      serving(async (request, { fetch }) => {
        const isActed = is.action(request) && (status !== 409 || (await jsonOf(request)) !== null)
        const response = await fetch(request)
        if (isActed && response.status === status) refused.add(idIn(request))
        return response
      }),
      part('transition', (next, pod, taken, service) => {
        if (taken !== action || !refused.has(pod.id)) next()
        else if (instead !== undefined) effectOf(instead)(pod, service)
      }),
    )(base)
  }
}
