import { tables } from '../../generated/tables.ts'
import { membersOf } from '../../harness/exchange/read.ts'
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
  record,
  someText,
  text,
  textOf,
  truth,
} from '../shared/readers.ts'
import { shape } from '../shared/shape-table.ts'
import { actionFlaws, isPodStatus, judged, missingFields, mountFlaws } from '../shared/shapes.ts'
import { isDateTime } from './date-time.ts'
import { everyPod, wholePodsIn } from './pods-in.ts'

everyExchange('pods.shape.required', (exchange) => {
  const pods = wholePodsIn(exchange)
  return pods.length === 0 ? null : { exercised: ['fields'], findings: pods.flatMap(missingFields) }
})

const pods = { of: 'pod', every: everyPod }

const utilization = object({}, { util: integer() })

// In the order of the headings Pod to PodRuntime; other rules are about the other fields.
shape('pods.shape.types', {
  ...pods,
  fields: {
    id,
    name: text,
    status: oneOf(Object.keys(tables.actions)),
    image: text,
    args: text,
    disk: integer(1),
    ports: list(text),
    registry: nullable(text),
    mounts: object(
      {},
      { persistent: object({ size: integer(10), path: text }), network: list(object({ volumeId: text, path: text })) },
    ),
    gpu: object({ id: text }, { count: integer(1) }),
    cpu: object({ id: someText, vcpuCount: integer(2), memory: integer(1) }),
    cloud: oneOf(['SECURE', 'COMMUNITY']),
    dataCenterId: nullable(text),
    template: nullable(text),
    cost: number,
    locked: truth,
    globalNetworking: object({ enabled: truth }, { ip: text, internalDns: text }),
    runtime: nullable(
      object(
        {},
        {
          uptime: integer(),
          gpus: list(object({}, { util: integer(), memoryUtil: integer() })),
          cpu: utilization,
          memory: utilization,
          ports: list(object({}, { private: integer(), public: nullable(integer()), type: text, ip: nullable(text) })),
        },
      ),
    ),
  },
})

everyPod('pods.shape.id-matches', ({ id }, { subject }) => {
  if (subject === null || typeof id !== 'string') return null
  return judged('id', id === subject, 'the id asked for', 'another id')
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

everyPod('pods.shape.mounts', ({ mounts }) => {
  const members = membersOf(mounts)
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
