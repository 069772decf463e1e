import { membersOf } from '../../harness/exchange/read.ts'
import type { Defect } from '../types.ts'
import { doesToo } from './action-tools.ts'
import { lists } from './list-delete.ts'
import { patching } from './patch-tools.ts'
import { type Change, defect, part, shows } from './tools.ts'

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
  defect('unnetworked-shown-enabled', 'pods.global-networking.address', 'unasked', {
    says: 'Every pod shows globalNetworking.enabled, and only a networked one has an address.',
    observed: 'ip nothing',
    change: shows((pod) => ({ ...pod, globalNetworking: { ...membersOf(pod.globalNetworking), enabled: true } })),
  }),
  defect('template-lost', 'pods.shape.template', 'id', {
    says: 'A pod that was created from a template has the template null.',
    observed: 'template null',
    change: shows((pod) => ({ ...pod, template: null })),
  }),
  defect('template-upper-case', 'pods.shape.template', 'id', {
    says: 'The id of the template is shown in capital letters.',
    observed: 'template "TPL-WORKER"',
    change: shows((pod) => (pod.template === null ? pod : { ...pod, template: String(pod.template).toUpperCase() })),
  }),
  defect('started-pod-has-no-template', 'pods.shape.template', 'id', {
    says: 'A start gives a pod a new record, without the template that it was created from.',
    observed: 'template null',
    variation: { afterwards: 'started' },
    change: doesToo({ action: 'start' }, (pod) => {
      Object.assign(pod, { template: null })
    }),
  }),
  defect('restarted-pod-has-no-template', 'pods.shape.template', 'id', {
    says: 'A restart gives a pod a new record, without the template that it was created from.',
    observed: 'template null',
    variation: { afterwards: 'restarted' },
    change: doesToo({ action: 'restart' }, (pod) => {
      Object.assign(pod, { template: null })
    }),
  }),
  defect('patched-pod-has-no-template', 'pods.shape.template', 'id', {
    says: 'A PATCH of the image takes a pod from its template.',
    observed: 'template null',
    change: patching((pod, body, next) => {
      next()
      if ('image' in body) Object.assign(pod, { template: null })
    }),
  }),
  defect('list-lacks-template', 'pods.shape.template', 'id', {
    says: 'The list shows the template null of every pod.',
    observed: 'template null in the list',
    variation: { seenIn: 'the list too' },
    wrap: lists((pods) => pods.map((pod) => ({ ...pod, template: null }))),
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
  defect('template-forgotten', 'pods.shape.template', 'id', {
    says: 'A pod shows the template that it was created from for ten seconds.',
    observed: 'template null',
    change: shows((pod, { createdAtMs }, { clock }) =>
      clock.now() < createdAtMs + 10_000 ? pod : { ...pod, template: null },
    ),
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
