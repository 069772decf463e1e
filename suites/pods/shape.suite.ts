import type { RuleId } from '../../generated/rules.ts'
import { tables } from '../../generated/tables.ts'
import { type Members, membersOf } from '../../harness/exchange/read.ts'
import { everyExchange } from '../../harness/rule/registry.ts'
import {
  id,
  integer,
  kindOfValue,
  list,
  nullable,
  number,
  object,
  oneOf,
  powerOfTwo,
  record,
  someText,
  text,
  textOf,
  truth,
} from '../shared/readers.ts'
import { shape } from '../shared/shape-table.ts'
import {
  actionFlaws,
  isPodStatus,
  judged,
  missingFields,
  mountFlaws,
  networkFlaws,
  type Shown,
} from '../shared/shapes.ts'
import { isDateTime } from './date-time.ts'
import { everyPod, wholePodsIn } from './pods-in.ts'

everyExchange('pods.shape.required', (exchange) => {
  const pods = wholePodsIn(exchange)
  return pods.length === 0 ? null : { exercised: ['fields'], findings: pods.flatMap(missingFields) }
})

const pods = { of: 'pod', every: everyPod }

// In the order of the headings Pod to PodRuntime; other rules are about the other fields.
shape('pods.shape.types', {
  ...pods,
  fields: {
    id,
    name: text,
    image: text,
    args: text,
    registry: nullable(text),
    mounts: object({}),
    dataCenterId: nullable(text),
    template: nullable(text),
    cost: number,
    locked: truth,
  },
})

shape('pods.lifecycle.statuses', { ...pods, fields: { status: oneOf(Object.keys(tables.actions)) } })

shape('pods.shape.disk', { ...pods, fields: { disk: integer(1) } })

shape('pods.shape.cloud', { ...pods, fields: { cloud: oneOf(['SECURE', 'COMMUNITY']) } })

const port = textOf(
  'a port and a protocol, such as 80/http',
  (entry) => /^\d{1,5}\/[a-z][a-z\d.+-]*$/i.test(entry),
  '80',
)

shape('pods.shape.ports', { ...pods, fields: { ports: list(port) } })

shape('pods.shape.gpu', { ...pods, fields: { gpu: object({ id: text }, { count: integer(1) }) } })

shape('pods.shape.cpu', {
  ...pods,
  fields: { cpu: object({ id: someText, vcpuCount: powerOfTwo(2), memory: integer(1) }) },
})

const mounts = {
  of: 'mounts',
  every: (id: RuleId, judge: (value: Members) => Shown | null) =>
    everyPod(id, (pod) => {
      const value = membersOf(pod.mounts)
      return value === null ? null : judge(value)
    }),
}

shape('pods.shape.persistent', {
  ...mounts,
  fields: { persistent: object({ size: integer(10), path: text }) },
})

shape('pods.shape.network', {
  ...mounts,
  fields: { network: list(object({ volumeId: text, path: text })) },
})

shape('pods.shape.global-networking', {
  ...pods,
  fields: { globalNetworking: object({ enabled: truth }, { ip: text, internalDns: text }) },
  also: networkFlaws,
})

const utilization = object({}, { util: integer(0, 100) })
const portShown = object({}, { private: integer(), public: nullable(integer()), type: text, ip: nullable(text) })

shape('pods.shape.runtime', {
  of: 'pod',
  every: (id, judge) => everyPod(id, (pod) => (pod.runtime === null ? null : judge(pod))),
  fields: {
    runtime: object(
      {},
      {
        uptime: integer(0),
        gpus: list(object({}, { util: integer(), memoryUtil: integer() })),
        cpu: utilization,
        memory: utilization,
        ports: list(portShown),
      },
    ),
  },
})

everyPod('pods.shape.gpu-xor-cpu', (pod, { isWhole }) => {
  const shown = ['gpu', 'cpu'].filter((name) => name in pod)
  const expected = 'gpu or cpu, and no key of the other'
  const both = { clause: 'omitted', expected, observed: `gpu ${kindOfValue(pod.gpu)}, cpu ${kindOfValue(pod.cpu)}` }
  return {
    exercised: [...(isWhole ? ['present'] : []), ...(shown.length > 0 ? ['omitted'] : [])],
    findings: [
      ...(isWhole && shown.length === 0 ? [{ clause: 'present', expected, observed: 'neither' }] : []),
      ...(shown.length > 1 ? [both] : []),
    ],
  }
})

everyPod('pods.shape.mounts', (pod) => {
  const members = membersOf(pod.mounts)
  return members === null ? null : mountFlaws(members)
})

shape('pods.shape.env', { ...pods, fields: { env: record(text) } })

const dateTime = textOf('a date-time of RFC 3339', isDateTime, '2026-01-01 00:00:00')

shape('pods.shape.times', { ...pods, fields: { createdAt: dateTime, startedAt: nullable(dateTime) } })

everyPod('pods.shape.actions-match-status', actionFlaws)

everyPod('pods.shape.cost-zero', ({ cost, status }) => {
  if (typeof cost !== 'number' || (status !== 'EXITED' && status !== 'TERMINATED')) return null
  return judged('zero', cost === 0, `cost 0 while ${status}`, `cost ${cost} while ${status}`)
})

everyPod('pods.shape.runtime-null', ({ runtime, status }) => {
  if (runtime === undefined || !isPodStatus(status) || status === 'RUNNING') return null
  return judged('null', runtime === null, `null while ${status}`, `${kindOfValue(runtime)} while ${status}`)
})
