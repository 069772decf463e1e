import type { PodAction } from '../../generated/tables.ts'
import { type PodService, type ReferenceOptions, Refusal, type StoredPod } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { effectOf } from './action-tools.ts'
import { type Past, remembering } from './history-tools.ts'
import { all, type Change, defect, idIn, is, type Json, jsonOf, part, parts, serving } from './tools.ts'

/** Bugs that only three or more calls in a row show. */
export const walk: readonly Defect[] = [
  defect('args-lost-at-start-after-two-stops', 'pods.walk', 'kept', {
    says: 'A pod that was stopped twice has other arguments once it is started again.',
    observed: 'args "lost"',
    change: after((pod, action, past) => {
      if (action === 'start' && countOf(past, 'stop') > 1) pod.args = 'lost'
    }),
  }),
  defect('stopped-patch-forgotten-at-start', 'pods.walk', 'kept', {
    says: 'The name that a PATCH gave to a pod while it was EXITED is gone once the pod is started.',
    observed: 'name "A"',
    change: forgetsName((action, past) => action === 'start' && past.at(-1) === 'patch' && past.includes('stop')),
  }),
  defect('name-back-after-two-patches', 'pods.walk', 'kept', {
    says: 'After two PATCHes a stop gives a pod its first name back.',
    observed: 'name "A"',
    change: forgetsName((action, past) => action === 'stop' && countOf(past, 'patch') > 1),
  }),
  defect('refused-patch-applied-after-restart', 'pods.walk', 'kept', {
    says: 'Once a pod was restarted and stopped, a PATCH that is refused changes its name all the same.',
    observed: 'name "plumbline-refused"',
    change: withPast((pasts) =>
      part('patchPod', (next, pod, given) => {
        const past = pasts.get(pod) ?? []
        const { name } = (given ?? {}) as Json
        if (past.includes('restart') && past.includes('stop') && typeof name === 'string') pod.name = name
        next()
      }),
    ),
  }),
  defect('refused-starts-undo-stop', 'pods.walk', 'status', {
    says: 'Once two starts of a RUNNING pod were refused, a stop of it is followed by a start.',
    observed: 'status RUNNING',
    change: refusedStarts,
  }),
  defect('no-stop-after-restart-stop-start', 'pods.walk', 'answered', {
    says: 'A pod that was restarted, stopped and started cannot be stopped again.',
    observed: 'status 409 to stop',
    change: withPast((pasts) =>
      part('permit', (next, pod, action) => {
        const isWorn = ['restart', 'stop', 'start'].every((each) => pasts.get(pod)?.some((one) => one === each))
        return isWorn && action === 'stop' ? new Refusal(409, 'the pod cannot be stopped') : next()
      }),
    ),
  }),
  defect('refused-patch-applied-at-later-stop', 'pods.walk', 'kept', {
    says: 'A PATCH that was refused is carried out when the pod is stopped after a start.',
    observed: 'name "plumbline-refused"',
    change: latePatches(({ status }) => status === 400 || status === 422),
  }),
  defect('list-lacks-pod-after-two-restarts', 'pods.walk', 'listed', {
    says: 'The list lacks a pod that was restarted twice.',
    observed: 'pod A 0 times',
    change: withPast((pasts) =>
      part('listPods', (next) => next().filter((pod) => countOf(pasts.get(pod) ?? [], 'restart') < 2)),
    ),
  }),
  defect('third-patch-takes-wrong-mounts', 'pods.walk', 'refused', {
    says: 'After two PATCHes of a pod a third one is accepted without its mounts, which are wrong.',
    observed: 'status 200',
    change: withPast((pasts) =>
      part('patchPod', (next, pod, given) => {
        const { name } = (given ?? {}) as Json
        const isMeant = countOf(pasts.get(pod) ?? [], 'patch') > 1 && name === 'plumbline-refused'
        next(pod, isMeant ? { name } : given)
      }),
    ),
  }),
]

/** More of them, which longer walks show than those of the rule: `fuzz --walk` finds these. */
export const longWalks: readonly Defect[] = [
  defect('lock-forgotten-at-start', 'pods.walk', 'kept', {
    says: 'A pod that was locked while EXITED is not locked once it is started.',
    observed: 'locked false',
    change: after((pod, action) => {
      if (action === 'start') pod.locked = false
    }),
  }),
  defect('restart-stops-started-pod', 'pods.walk', 'status', {
    says: 'A restart stops the other pods of the user that were stopped and started before.',
    observed: 'status EXITED',
    change: withPast((pasts) =>
      part('transition', (next, pod, action, service) => {
        next()
        const started = [...service.store.of(pod.user)].filter((one) => pasts.get(one)?.includes('start'))
        for (const other of action === 'restart' ? started : []) {
          if (other !== pod && other.status === 'RUNNING') effectOf('stop')(other, service)
        }
      }),
    ),
  }),
  defect('unlock-carries-out-refused-stop', 'pods.walk', 'status', {
    says: 'A stop that the lock of a pod has refused is carried out when the pod is unlocked.',
    observed: 'status EXITED',
    change: unlockStops,
  }),
  defect('removal-after-restart-hides-pod', 'pods.walk', 'listed', {
    says: 'Once a pod was restarted and another one removed, the list lacks the first one.',
    observed: 'pod A 0 times',
    change: hidesRestarted,
  }),
  defect('removed-pod-listed-after-creation', 'pods.walk', 'listed', {
    says: 'A pod that was removed is in the list again, as EXITED, once another one was created.',
    observed: 'pod B with status "EXITED"',
    change: returning,
  }),
  defect('refused-patch-of-stranger-applied', 'pods.walk', 'kept', {
    says: 'A PATCH by another account is refused, and carried out when the pod is stopped after a start.',
    observed: 'name "A-w1"',
    change: latePatches(({ status }) => status === 404),
  }),
]

type Pasts = WeakMap<StoredPod, Past>

/** A change that knows the history of each pod: the actions that were carried out before, and `patch`. */
function withPast(change: (pasts: Pasts) => Change): Change {
  return (options) => {
    const pasts: Pasts = new WeakMap()
    return parts(remembering(pasts))(change(pasts)(options))
  }
}

/** Beside what an action does, it has another effect, by the history of its pod. */
function after(effect: (pod: StoredPod, action: PodAction, past: Past, service: PodService) => void): Change {
  return withPast((pasts) =>
    part('transition', (next, pod, action, service) => {
      next()
      effect(pod, action, pasts.get(pod) ?? [], service)
    }),
  )
}

function countOf(past: Past, what: Past[number]): number {
  return past.filter((one) => one === what).length
}

/** Some actions give a pod back the name that it was created with. */
function forgetsName(when: (action: PodAction, past: Past) => boolean): Change {
  return (options) => {
    const names = new WeakMap<StoredPod, string>()
    const noting = part('patchPod', (next, pod) => {
      if (!names.has(pod)) names.set(pod, pod.name)
      next()
    })
    const forgetting = after((pod, action, past) => {
      if (when(action, past)) pod.name = names.get(pod) ?? pod.name
    })
    return all(noting, forgetting)(options)
  }
}

/** Refused stops of a locked pod are carried out when it is unlocked. */
function unlockStops(options: ReferenceOptions): ReferenceOptions {
  const refused = new WeakSet<StoredPod>()
  const noting = part('permit', (next, pod, action) => {
    const refusal = next()
    if (refusal !== null && pod.locked && action === 'stop' && pod.status === 'RUNNING') refused.add(pod)
    return refusal
  })
  const stopping = part('patchPod', (next, pod, _, service) => {
    next()
    if (!pod.locked && refused.delete(pod)) effectOf('stop')(pod, service)
  })
  return all(noting, stopping)(options)
}

function refusedStarts(options: ReferenceOptions): ReferenceOptions {
  const refused = new WeakMap<StoredPod, number>()
  const noting = part('permit', (next, pod, action) => {
    const refusal = next()
    if (refusal !== null && action === 'start') refused.set(pod, (refused.get(pod) ?? 0) + 1)
    return refusal
  })
  const starting = after((pod, action, _, service) => {
    if (action === 'stop' && (refused.get(pod) ?? 0) > 1) effectOf('start')(pod, service)
  })
  return all(noting, starting)(options)
}

/** Each removal takes the other pods that were restarted out of the list. */
function hidesRestarted(options: ReferenceOptions): ReferenceOptions {
  const hidden = new WeakSet<StoredPod>()
  const hiding = withPast((pasts) =>
    part('transition', (next, pod, action, service) => {
      next()
      const others = action === 'terminate' ? [...service.store.of(pod.user)] : []
      for (const other of others) if (pasts.get(other)?.includes('restart')) hidden.add(other)
    }),
  )
  return all(
    hiding,
    part('listPods', (next) => next().filter((pod) => !hidden.has(pod))),
  )(options)
}

/** A pod that was terminated is in the list once another one is created. */
function returning(options: ReferenceOptions): ReferenceOptions {
  const removed: StoredPod[] = []
  const returned: StoredPod[] = []
  const noting = after((pod, action) => {
    if (action === 'terminate') removed.push(pod)
  })
  const creating = part('createPod', (next) => {
    for (const pod of removed.splice(0)) returned.push({ ...pod, status: 'EXITED' })
    return next()
  })
  const listing = part('listPods', (next) => [...next(), ...returned])
  return all(noting, creating, listing)(options)
}

/** Some refused PATCHes give a pod their name when it is stopped after a start. */
function latePatches(when: (response: Response) => boolean): Change {
  return withPast((pasts) => {
    const names = new Map<string, string>()
    return serving(async (request, { fetch, service }) => {
      const { name } = (is.patch(request) ? await jsonOf(request) : null) ?? {}
      const response = await fetch(request)
      const pod = service()?.store.get(idIn(request))
      if (pod === undefined) return response
      if (!response.ok && when(response) && typeof name === 'string') names.set(pod.id, name)
      const isDue = pod.status === 'EXITED' && pasts.get(pod)?.includes('start')
      if (is.action(request) && isDue) pod.name = names.get(pod.id) ?? pod.name
      return response
    })
  })
}
