import type { PodAction } from '../../generated/tables.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import type { StoredPod } from '../../reference/index.ts'
import { unusualVariables } from '../../suites/pods/creation.ts'
import type { Defect } from '../types.ts'
import { comesBackAs, doesToo, effectOf, later } from './action-tools.ts'
import { isSecond } from './auth-tools.ts'
import { secondStart } from './history-tools.ts'
import { patching } from './patch-tools.ts'
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
  serving,
  shows,
  type Wrap,
  withBody,
} from './tools.ts'

/** Pods that lose or get what nobody asked for, and other keys of their account. */
export const kept: readonly Defect[] = [
  defect('exited-pod-shows-no-variables', 'pods.shape.id-matches', 'kept', {
    says: 'A pod shows no variables while it is EXITED.',
    observed: 'another env',
    tour: ['pods.action.start-restores'],
    change: shows((shown, { status }) => (status === 'EXITED' ? { ...shown, env: {} } : shown)),
  }),
  defect('failed-pod-shows-no-variables', 'pods.shape.id-matches', 'kept', {
    says: 'A pod shows no variables while it is in ERROR.',
    observed: 'another env',
    tour: ['pods.action.error.stop'],
    variation: { fields: 'many' },
    change: shows((shown, { status }) => (status === 'ERROR' ? { ...shown, env: {} } : shown)),
  }),
  defect('patched-args-lost-at-start', 'pods.shape.id-matches', 'kept', {
    says: 'A start gives a pod the arguments of its creation again.',
    observed: 'another args',
    tour: ['pods.patch.omitted'],
    variation: { afterwards: 'started' },
    change: asCreatedAtStart('args'),
  }),
  defect('patch-renames-namesakes', 'pods.shape.id-matches', 'kept', {
    says: 'A PATCH of the name renames all pods of the former name.',
    observed: 'another name',
    tour: ['pods.patch.omitted'],
    variation: { seenIn: 'the list too', sibling: 'namesake' },
    change: part('patchPod', (next, pod, _body, { store }) => {
      const { name } = pod
      const patched = next()
      for (const one of store.all()) if (one.name === name) one.name = pod.name
      return patched
    }),
  }),
  defect('ports-lost-at-start', 'pods.shape.id-matches', 'kept', {
    says: 'A start closes all ports of a pod.',
    observed: 'another ports',
    tour: ['pods.action.start-restores'],
    variation: { fields: 'many' },
    change: doesToo({ action: 'start' }, (pod) => {
      Object.assign(pod, { ports: [] })
    }),
  }),
  defect('variables-of-the-last-creation', 'pods.shape.id-matches', 'own', {
    says: 'A pod that is created without variables gets those of the last creation that had some.',
    observed: 'the variable PLUMBLINE',
    tour: ['pods.create.gpu'],
    change: (options) => {
      let last: StoredPod['env'] = {}
      return part('buildPod', (next) => {
        const pod = next()
        if (Object.keys(pod.env).length > 0) last = pod.env
        return { ...pod, env: last }
      })(options)
    },
  }),
  defect('patch-sets-arguments-of-all', 'pods.shape.id-matches', 'own', {
    says: 'A PATCH of the arguments sets those of all pods that have none.',
    observed: 'the argument plumbline-d',
    tour: ['pods.patch.others', 'pods.action.running.stop'],
    change: part('patchPod', (next, { id }, _body, { store }) => {
      next()
      for (const one of store.all()) if (one.args === '') one.args = store.get(id)?.args ?? ''
    }),
  }),
  defect('removed-variable-back-at-start', 'pods.action.start-restores', 'kept', {
    says: 'A start gives a pod the variables of its creation again.',
    observed: 'env {"PLUMBLINE":"kept","PLUMBLINE_REMOVED":"by a PATCH"}',
    change: asCreatedAtStart('env'),
  }),
  defect('patch-clears-args', 'pods.patch.others', 'others', {
    says: 'A PATCH without args clears them.',
    observed: 'args ""',
    change: otherwise('args', (pod) => {
      pod.args = ''
    }),
  }),
  defect('patch-collapses-args', 'pods.patch.others', 'others', {
    says: 'A PATCH without args writes them with single spaces.',
    observed: 'args "plumbline-d \\"🚀\\" e\u0301"',
    change: otherwise('args', (pod) => {
      pod.args = pod.args.replaceAll(/ +/g, ' ')
    }),
  }),
  defect('patch-trims-name', 'pods.patch.others', 'others', {
    says: 'A PATCH of something else trims the name.',
    observed: 'name "plumbline-RUN-44xsub-1-b-d  \\"🚀\\" e\u0301"',
    change: otherwise('name', (pod) => {
      pod.name = pod.name.trim()
    }),
  }),
  defect('patch-composes-letters', 'pods.patch.others', 'others', {
    says: 'A PATCH of something else composes the letters in variables.',
    observed: `env ${JSON.stringify({ ...unusualVariables, PLUMBLINE_CHANGE: 'd  "🚀" e\u0301 ' }).normalize('NFC')}`,
    change: otherwise('env', (pod) => {
      pod.env = Object.fromEntries(Object.entries(pod.env).map(([name, value]) => [name, value.normalize('NFC')]))
    }),
  }),
  defect('patch-at-once-loses-another', 'pods.patch.others', 'at-once', {
    says: 'A PATCH writes all fields, with those that it does not name as the last read showed them.',
    observed: 'no effect on args',
    change(base) {
      const seen = new Map<string, StoredPod>()
      const write = patching((pod, _, next) => {
        const read = seen.get(pod.id) ?? { ...pod }
        seen.set(pod.id, read)
        Object.assign(pod, read)
        next()
      })
      const read = serving((request, { fetch }) => {
        if (is.get(request)) seen.delete(idIn(request))
        return fetch(request)
      })
      return read(write(base))
    },
  }),
  defect('second-variables-ignored', 'pods.patch.others', 'at-once', {
    says: 'A pod whose variables a PATCH changed keeps them for good.',
    observed: 'no effect on env',
    change(base) {
      const changed = new WeakSet<StoredPod>()
      return part('patchPod', (next, pod, body) => {
        const { env } = pod
        next()
        if (membersOf(body)?.env === undefined) return
        if (changed.has(pod)) pod.env = env
        changed.add(pod)
      })(base)
    },
  }),
  defect('start-loses-args', 'pods.patch.others', 'started', {
    says: 'A start begins with the arguments of the image.',
    observed: 'args ""',
    change: doesToo({ action: 'start' }, (pod) => {
      pod.args = ''
    }),
  }),
  defect('restart-loses-args', 'pods.patch.others', 'restarted', {
    says: 'A restart begins with the arguments of the image.',
    observed: 'args ""',
    change: doesToo({ action: 'restart' }, (pod) => {
      pod.args = ''
    }),
  }),
  defect('patch-of-variables-ignored-while-exited', 'pods.patch.others', 'exited', {
    says: 'Another variable for an EXITED pod is accepted and has no effect.',
    observed: 'the old env after the start',
    change: patching((pod, body, next) => {
      const { env } = pod
      next()
      if (pod.status === 'EXITED' && 'env' in body) pod.env = env
    }),
  }),
  defect('patch-resets-network-path', 'pods.patch.omitted', 'unchanged', {
    says: 'A PATCH without mounts puts the network mount at the default path.',
    observed: 'mounts {"network":[{"volumeId":"vol-1","path":"/workspace"}]}',
    variation: { branch: 'network' },
    change: otherwise('mounts', (pod) => {
      const [mount] = pod.mounts.network ?? []
      if (mount !== undefined) pod.mounts = { network: [{ ...mount, path: '/workspace' }] }
    }),
  }),
  defect('patch-takes-lock-away', 'pods.patch.others', 'others', {
    says: 'A PATCH of a locked pod unlocks it.',
    observed: 'locked false',
    change: otherwise('locked', (pod) => {
      pod.locked = false
    }),
  }),
  defect('patch-starts-pod', 'pods.patch.others', 'status', {
    says: 'A PATCH of the variables of an EXITED pod starts it two seconds later.',
    observed: 'status RUNNING',
    change: patching((pod, body, next, service) => {
      next()
      if ('env' in body && pod.status === 'EXITED') later(2_000, effectOf('start'))(pod, service)
    }),
  }),
  defect('deleted-while-starting-runs-later', 'pods.action.terminate-is-final', 'starting', {
    says: 'A pod that was deleted while STARTING is RUNNING half a minute later.',
    observed: 'status RUNNING',
    change: doesToo({ status: 'STARTING', action: 'terminate' }, later(30_000, comesBackAs('RUNNING'))),
  }),
  defect('restart-drops-network', 'pods.global-networking.address', 'kept', {
    says: 'A restart takes a pod from the global network.',
    observed: 'enabled false',
    change: doesToo({ action: 'restart' }, (pod) => {
      pod.globalNetworking = false
    }),
  }),
  defect('patch-drops-network', 'pods.global-networking.address', 'kept', {
    says: 'A PATCH that does not name globalNetworking takes a pod from the global network.',
    observed: 'enabled false',
    change: otherwise('globalNetworking', (pod) => {
      pod.globalNetworking = false
    }),
  }),
  defect('second-start-drops-network', 'pods.global-networking.address', 'kept', {
    says: 'The second start of a pod takes it from the global network.',
    observed: 'enabled false',
    variation: { history: 'stopped and started' },
    change: secondStart((pod) => {
      pod.globalNetworking = false
    }),
  }),
  defect('second-key-starts-running-pod', 'pods.action.running.start', 'refused', {
    says: 'start of a RUNNING pod is answered 200 to another key of its account.',
    observed: 'status 200',
    wrap: ofSecondKey('start', readOf),
  }),
  defect('second-key-cannot-stop', 'pods.action.running.stop', 'answered', {
    says: 'stop is answered 409 to another key of the account than the one that created the pod.',
    observed: 'status 409',
    wrap: ofSecondKey('stop', (request) => withBody(request, { action: 'start' })),
  }),
  defect('terminate-ignores-null-members', 'pods.action-body.no-effect', 'refused', {
    says: 'terminate ignores further members whose value is null.',
    observed: 'status 204',
    wrap: exchanges(is.action, ({ action, reason }) => (action === 'terminate' && reason === null ? { action } : null)),
  }),
]

/** An action with the second key is carried out as another request. */
function ofSecondKey(action: PodAction, change: (request: Request) => Request): Wrap {
  return (fetch) => async (request) => {
    const isMeant = isSecond(request) && is.action(request) && (await jsonOf(request))?.action === action
    return fetch(isMeant ? change(request) : request)
  }
}

/** A PATCH that does not name a field changes it all the same. */
function otherwise(field: string, change: (pod: StoredPod) => void): Change {
  return patching((pod, body, next) => {
    next()
    if (!(field in body)) change(pod)
  })
}

/** A start gives a pod a member as it was before its first PATCH. */
function asCreatedAtStart(name: 'env' | 'args'): Change {
  const first = new WeakMap<StoredPod, StoredPod>()
  return parts({
    patchPod: (original) => (pod, body, service) => {
      if (!first.has(pod)) first.set(pod, { ...pod })
      original(pod, body, service)
    },
    transition: (original) => (pod, action, service) => {
      original(pod, action, service)
      if (action === 'start') Object.assign(pod, { [name]: (first.get(pod) ?? pod)[name] })
    },
  })
}
