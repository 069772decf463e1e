import { membersOf } from '../../harness/exchange/read.ts'
import type { StoredPod } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { doesToo } from './action-tools.ts'
import { lists } from './list-delete.ts'
import { patching } from './patch-tools.ts'
import { all, type Change, defect, part, shows } from './tools.ts'

/** New pods: their template, their address, and the order of their statuses. */
export const newPods: readonly Defect[] = [
  defect('new-pod-starts-twice', 'pods.lifecycle.order', 'order', {
    says: 'A pod that became RUNNING is STARTING again a second later, once.',
    observed: 'STARTING',
    tour: ['pods.status.running-lasts'],
    change: backOnce('STARTING'),
  }),
  defect('new-pod-provisioned-twice', 'pods.lifecycle.order', 'order', {
    says: 'A pod that became RUNNING is PROVISIONING again a second later, once.',
    observed: 'PROVISIONING',
    tour: ['pods.status.running-lasts'],
    change: backOnce('PROVISIONING'),
  }),
  ...(['ip', 'internalDns'] as const).flatMap((name) => [
    defect(`networked-without-${name.toLowerCase()}`, 'pods.global-networking.address', name, {
      says: `A networked pod shows no ${name}.`,
      observed: `${name} nothing`,
      change: networkShown(({ [name]: _, ...rest }) => rest),
    }),
    defect(`networked-empty-${name.toLowerCase()}`, 'pods.global-networking.address', name, {
      says: `A networked pod shows an empty ${name}.`,
      observed: `${name} ""`,
      change: networkShown((network) => ({ ...network, [name]: '' })),
    }),
  ]),
  defect('start-drops-address', 'pods.global-networking.address', 'kept', {
    says: 'A pod that was stopped and started has an empty address in the global network.',
    observed: 'ip ""',
    change: (base) => {
      const started = new WeakSet<StoredPod>()
      return all(
        doesToo({ action: 'start' }, (pod) => void started.add(pod)),
        shows((shown, pod) => {
          const network = membersOf(shown.globalNetworking)
          return started.has(pod) && network?.enabled === true
            ? { ...shown, globalNetworking: { ...network, ip: '' } }
            : shown
        }),
      )(base)
    },
  }),
  defect('unnetworked-shown-enabled', 'pods.global-networking.address', 'unasked', {
    says: 'Every pod shows globalNetworking.enabled, and only a networked one has an address.',
    observed: 'ip nothing',
    change: shows((pod) => ({ ...pod, globalNetworking: { ...membersOf(pod.globalNetworking), enabled: true } })),
  }),
  ...(['template', 'registry'] as const).flatMap((name) => {
    const id = `pods.shape.${name}` as const
    const observed = `${name} null`
    const forgets = (action: 'start' | 'restart') =>
      doesToo({ action }, (pod) => {
        Object.assign(pod, { [name]: null })
      })
    return [
      defect(`${name}-lost`, id, 'id', {
        says: `Every pod has the ${name} null.`,
        observed,
        change: shows((pod) => ({ ...pod, [name]: null })),
      }),
      defect(`${name}-upper-case`, id, 'id', {
        says: `The id of the ${name} is shown in capital letters.`,
        observed: { template: 'template "TPL-WORKER"', registry: 'registry "REG-1"' }[name],
        change: shows((pod) => (pod[name] === null ? pod : { ...pod, [name]: String(pod[name]).toUpperCase() })),
      }),
      defect(`started-pod-has-no-${name}`, id, 'id', {
        says: `A start gives a pod a new record, without the ${name} that it was created with.`,
        observed,
        variation: { afterwards: 'started' },
        change: forgets('start'),
      }),
      defect(`restarted-pod-has-no-${name}`, id, 'id', {
        says: `A restart gives a pod a new record, without the ${name} that it was created with.`,
        observed,
        variation: { afterwards: 'restarted' },
        change: forgets('restart'),
      }),
      defect(`patched-pod-has-no-${name}`, id, 'id', {
        says: `A PATCH of the image takes the ${name} from a pod.`,
        observed,
        change: patching((pod, body, next) => {
          next()
          if ('image' in body) Object.assign(pod, { [name]: null })
        }),
      }),
      defect(`list-lacks-${name}`, id, 'id', {
        says: `The list shows the ${name} null of every pod.`,
        observed: `${observed} in the list`,
        variation: { seenIn: 'the list too' },
        wrap: lists((pods) => pods.map((pod) => ({ ...pod, [name]: null }))),
      }),
      defect(`${name}-forgotten`, id, 'id', {
        says: `A pod shows the ${name} that it was created with for ten seconds.`,
        observed,
        change: shows((pod, { createdAtMs }, { clock }) =>
          clock.now() < createdAtMs + 10_000 ? pod : { ...pod, [name]: null },
        ),
      }),
    ]
  }),
  defect('restart-sets-variables-of-template', 'pods.shape.id-matches', 'kept', {
    says: 'A restart gives a pod from a template the variables of the template alone.',
    observed: 'another env',
    tour: ['pods.shape.template'],
    variation: { afterwards: 'restarted' },
    change: doesToo({ action: 'restart' }, (pod) => {
      if (pod.template !== null) pod.env = { FROM_TEMPLATE: 'yes' }
    }),
  }),
]

/** A second after it became RUNNING for the first time a pod goes back to a status for 20 seconds. */
function backOnce(status: 'PROVISIONING' | 'STARTING'): Change {
  const done = new WeakSet<object>()
  return part('enter', (next, pod, entered, service) => {
    next()
    if (entered !== 'RUNNING' || done.has(pod)) return
    done.add(pod)
    const after = (ms: number, to: 'RUNNING' | typeof status, from: string) =>
      service.clock.schedule(service.clock.now() + ms, () => {
        if (pod.status === from) service.parts.enter(pod, to, service)
      })
    after(1_000, status, 'RUNNING')
    after(21_000, 'RUNNING', status)
  })
}

function networkShown(change: (network: Readonly<Record<string, unknown>>) => unknown): Change {
  return shows((pod) => {
    const network = membersOf(pod.globalNetworking)
    return network?.enabled === true ? { ...pod, globalNetworking: change(network) } : pod
  })
}
