import type { PodAction } from '../../generated/tables.ts'
import type { StoredPod } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { comesBackAs, effectOf, later, seen } from './action-tools.ts'
import { acts, type Past, permits, remembering, secondStart } from './history-tools.ts'
import { entriesIn, isCpuPod, mountOf, mountsIn, patching } from './patch-tools.ts'
import {
  type Change,
  defect,
  exchanges,
  idIn,
  is,
  jsonOf,
  part,
  parts,
  readOf,
  shows,
  type Wrap,
  withBody,
} from './tools.ts'

/** PATCHes that a pod has accepted. */
const accepted = new WeakMap<StoredPod, number>()

/** Bugs that no plain case shows: on the second restart, on CPU pods, after a PATCH, with a neighbour. */
export const variationPods: readonly Defect[] = [
  defect('start-ignored-after-restart', 'pods.action.exited.start', 'becomes-running', {
    says: 'start of a pod that was restarted before it was stopped is answered 200 and has no effect.',
    observed: 'status EXITED',
    variation: { history: 'restarted' },
    change: acts((action, { past }) => (action === 'start' && past.includes('restart') ? () => {} : null)),
  }),
  defect('second-start-stuck', 'pods.action.exited.start', 'becomes-running', {
    says: 'The second start of a pod leaves it in PROVISIONING.',
    observed: 'status PROVISIONING',
    change: acts((action, { past, pod, service }) =>
      action === 'start' && past.includes('start') ? () => service.parts.enter(pod, 'PROVISIONING', service) : null,
    ),
  }),
  defect('second-start-loses-args', 'pods.patch.others', 'started', {
    says: 'The second start of a pod begins with the arguments of the image.',
    observed: 'args ""',
    variation: { history: 'stopped and started' },
    change: secondStart((pod) => {
      pod.args = ''
    }),
  }),
  defect('second-restart-exits', 'pods.action.running.restart', 'becomes-running', {
    says: 'The second restart of a pod leaves it in EXITED.',
    observed: 'status EXITED',
    change: acts((action, { past, pod, service }) =>
      action === 'restart' && past.includes('restart') ? () => effectOf('stop')(pod, service) : null,
    ),
  }),
  defect('stop-of-newest-pod', 'pods.action.running.stop', 'becomes-exited', {
    says: 'stop is carried out on the newest pod of the user.',
    observed: 'status RUNNING',
    variation: { sibling: 'younger' },
    change: acts((action, { pod, service }) => {
      const newest = [...service.store.all()].at(-1)
      if (action !== 'stop' || newest === undefined || newest === pod) return null
      return () => effectOf('stop')(newest, service)
    }),
  }),
  defect('stopped-cpu-pod-starts-again', 'pods.action.starting.stop', 'stays-exited', {
    says: 'A CPU pod that is stopped is started again five seconds later.',
    observed: 'status RUNNING',
    variation: { kind: 'cpu' },
    change: acts((action, { pod, next, service }) => {
      if (action !== 'stop' || !isCpuPod(pod)) return null
      return () => {
        next()
        later(5_000, effectOf('start'))(pod, service)
      }
    }),
  }),
  defect('restart-after-patch-stops', 'pods.action.running.restart', 'becomes-running', {
    says: 'restart of a pod that was renamed stops it.',
    observed: 'status EXITED',
    variation: { history: 'patched' },
    change: acts((action, { past, pod, service }) =>
      action === 'restart' && past.includes('patch') ? () => effectOf('stop')(pod, service) : null,
    ),
  }),
  defect('terminate-ignored-on-networked-pods', 'pods.action.running.terminate', 'becomes-terminated', {
    says: 'terminate of a globally networked pod is answered 204, and the pod stays.',
    observed: 'status RUNNING',
    variation: { fields: 'networked' },
    change: acts((action, { pod }) => (action === 'terminate' && pod.globalNetworking ? () => {} : null)),
  }),
  defect('started-pod-starts-again', 'pods.action.running.start', 'refused', {
    says: 'A RUNNING pod that was started by the action can be started again.',
    observed: 'status 200',
    variation: { history: 'stopped and started' },
    change: permits((action, past) => action === 'start' && past.includes('start')),
  }),
  defect('exited-restart-accepted-after-two', 'pods.action.exited.restart', 'refused', {
    says: 'A pod that was restarted twice can be restarted while EXITED.',
    observed: 'status 200',
    variation: { history: 'restarted and started' },
    change: permits((action, past) => action === 'restart' && past.filter((one) => one === 'restart').length > 1),
  }),
  defect('exited-stop-accepted-after-restart-and-start', 'pods.action.exited.stop', 'refused', {
    says: 'A pod that was restarted and started before can be stopped while EXITED.',
    observed: 'status 200',
    variation: { history: 'restarted and started' },
    change: permits((action, past) => action === 'stop' && past.includes('restart') && past.includes('start')),
  }),
  defect('exited-stop-accepted-after-refusal', 'pods.action.exited.stop', 'refused', {
    says: 'Once an action was refused, a pod can be stopped while EXITED.',
    observed: 'status 200',
    change: permitsAfterRefusal('stop'),
  }),
  defect('mount-lost-at-second-stop', 'pods.patch.omitted', 'unchanged', {
    says: 'The network mount of a pod is lost when the pod is stopped once more.',
    observed: 'mounts {}',
    variation: { afterwards: 'started and stopped' },
    change: acts((action, { next, past, pod }) => {
      if (action !== 'stop' || !past.includes('patch') || mountOf(pod) !== 'network') return null
      return () => {
        next()
        pod.mounts = {}
      }
    }),
  }),
  defect('path-reverted-at-start', 'pods.patch.persistent-path', 'changed', {
    says: 'The path of a persistent mount that PATCH has changed is the former one again once the pod is started.',
    observed: 'mounts {"persistent":{"size":10,"path":"/workspace"}} after start',
    variation: { afterwards: 'started' },
    change: acts((action, { next, pod }) => {
      const { persistent } = pod.mounts
      if (action !== 'start' || persistent === undefined) return null
      return () => {
        next()
        pod.mounts = { persistent: { ...persistent, path: '/workspace' } }
      }
    }),
  }),
  defect('path-reverted-at-stop', 'pods.patch.network-path', 'changed', {
    says: 'The path of a network mount that PATCH has changed is the former one again once the pod is started and stopped.',
    observed: 'mounts {"network":[{"volumeId":"vol-1","path":"/workspace"}]} after stop',
    variation: { afterwards: 'started and stopped' },
    change: acts((action, { next, past, pod }) => {
      const [mount] = pod.mounts.network ?? []
      if (action !== 'stop' || mount === undefined || !past.includes('start')) return null
      return () => {
        next()
        pod.mounts = { network: [{ ...mount, path: '/workspace' }] }
      }
    }),
  }),
  defect('running-pod-takes-empty-network', 'pods.patch.empty-network', 'empty list', {
    says: 'An empty list of network mounts is accepted while a pod is RUNNING.',
    observed: 'status 200',
    variation: { patchedWhile: 'RUNNING' },
    change: patching((pod, body, next) => {
      const isEmpty = 'network' in mountsIn(body) && entriesIn(mountsIn(body)).length === 0
      next(isEmpty && pod.status === 'RUNNING' ? { ...body, mounts: {} } : body)
    }),
  }),
  defect('extra-ignored-by-start', 'pods.action-body.extra', 'extra-text', {
    says: 'start ignores a reason that is a text.',
    observed: 'status 200',
    variation: { action: 'start' },
    wrap: exchanges(is.action, ({ action, reason }) =>
      action === 'start' && typeof reason === 'string' ? { action } : null,
    ),
  }),
  defect('terminate-reads-trailing-comma', 'pods.action-body.not-json', 'trailing-comma', {
    says: 'terminate takes a body with a comma before its closing bracket.',
    observed: 'status 204',
    variation: { action: 'terminate' },
    wrap: takes('{"action":"terminate",}', 'terminate'),
  }),
  defect('deleted-pod-starts', 'pods.action.terminated.any', 'refused', {
    says: 'start of a pod that was removed by DELETE is answered 200.',
    observed: 'status 200',
    variation: { removal: 'delete' },
    wrap: (fetch) => {
      const deleted = new Map<string, string>()
      return async (request) => {
        const id = idIn(request)
        const text = is.delete(request) ? await (await fetch(readOf(request))).text() : ''
        const isStart = is.action(request) && (await jsonOf(request))?.action === 'start'
        const response = await fetch(request)
        if (is.delete(request) && response.ok) deleted.set(id, text)
        const former = deleted.get(id)
        if (!isStart || former === undefined) return response
        const shown = new Headers(response.headers)
        shown.set('content-type', 'application/json')
        return new Response(former, { status: 200, headers: shown })
      }
    },
  }),
  defect('second-stop-goes-on-to-cost', 'pods.action.stop-frees-compute', 'cost', {
    says: 'A pod that is stopped for the second time still costs.',
    observed: 'cost 0.5',
    variation: { history: 'stopped and started' },
    change: (options) => {
      const pasts = new WeakMap<StoredPod, Past>()
      const costs = shows((shown, pod) => {
        const stops = (pasts.get(pod) ?? []).filter((one) => one === 'stop').length
        return pod.status === 'EXITED' && stops > 1 ? { ...shown, cost: 0.5 } : shown
      })
      return costs(parts(remembering(pasts))(options))
    },
  }),
  defect('started-pod-survives-terminate', 'pods.action.terminate-is-final', 'settled', {
    says: 'A pod that an action has started or restarted is back four seconds after it was terminated.',
    observed: 'status EXITED',
    variation: { history: 'restarted' },
    change: acts((action, { next, past, pod, service }) => {
      if (action !== 'terminate' || !past.some((one) => one === 'start' || one === 'restart')) return null
      return () => {
        next()
        later(4_000, comesBackAs('EXITED'))(pod, service)
      }
    }),
  }),
  defect('repeated-patch-of-cpu-pod-conflicts', 'pods.patch.idempotent', 'accepted', {
    says: 'A PATCH of a CPU pod that changes nothing is answered 409.',
    observed: 'status 409',
    variation: { branch: 'cpu network' },
    wrap: (fetch) => async (request) => {
      if (!is.patch(request)) return fetch(request)
      const before = await (await fetch(readOf(request))).json()
      const response = await fetch(request)
      const isSame = response.ok && JSON.stringify(before) === (await response.clone().text())
      return isSame && 'cpu' in (before as object) ? new Response(null, { status: 409 }) : response
    },
  }),
  defect('patched-pod-keeps-refused-name', 'pods.patch.atomic', 'unchanged', {
    says: 'A PATCH that is refused because of its mounts still gives the pod its new name, once two others were accepted.',
    observed: 'changed: name',
    variation: { history: 'patched' },
    change: patching((pod, body, next) => {
      const count = accepted.get(pod) ?? 0
      if (typeof body.name === 'string' && count >= 2) pod.name = body.name
      next()
      accepted.set(pod, count + 1)
    }),
  }),
  defect('refused-start-starts-second-time', 'pods.action.running.start', 'unchanged', {
    says: 'A refused start of a RUNNING pod with a network mount restarts its container.',
    observed: seen('RUNNING', 'STARTING'),
    variation: { mount: 'network' },
    change: part('permit', (next, pod, action, service) => {
      const refusal = next()
      if (pod.status === 'RUNNING' && action === 'start' && mountOf(pod) === 'network') {
        effectOf('start')(pod, service)
      }
      return refusal
    }),
  }),
]

/** Once an action was refused, another one is permitted in every status. */
function permitsAfterRefusal(permitted: PodAction): Change {
  return (options) => {
    const refused = new WeakSet<StoredPod>()
    return part('permit', (next, pod, action) => {
      if (action === permitted && refused.has(pod)) return null
      const refusal = next()
      if (refusal !== null) refused.add(pod)
      return refusal
    })(options)
  }
}

/** Action bodies of this text are taken for the action. */
function takes(text: string, action: PodAction): Wrap {
  return (fetch) => async (request) => {
    if (!is.action(request) || (await request.clone().text()) !== text) return fetch(request)
    return fetch(withBody(request, { action }))
  }
}
