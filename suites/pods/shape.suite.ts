import { membersOf } from '../../harness/exchange/read.ts'
import { everyExchange } from '../../harness/rule/registry.ts'
import { kindOf } from '../shared/readers.ts'
import { envFlaws, missingFields, mountFlaws, timeFlaws, typedClauses, typeFlaws } from '../shared/shapes.ts'
import { everyPod, wholePodsIn } from './pods-in.ts'

everyExchange('pods.shape.required', (exchange) => {
  const pods = wholePodsIn(exchange)
  return pods.length === 0 ? null : { exercised: ['fields'], findings: pods.flatMap(missingFields) }
})

everyPod('pods.shape.types', (pod) => ({ exercised: typedClauses(pod), flaws: typeFlaws(pod) }))

everyPod('pods.shape.id-matches', ({ id }, { subject }) => {
  if (subject === null || typeof id !== 'string') return null
  const flaw = { clause: 'id', expected: 'the id asked for', observed: 'another id' }
  return { exercised: ['id'], flaws: id === subject ? [] : [flaw] }
})

everyPod('pods.shape.gpu-xor-cpu', (pod, { isWhole }) => {
  const shown = ['gpu', 'cpu'].filter((name) => name in pod)
  const expected = 'gpu or cpu, and no key of the other'
  const both = { clause: 'omitted', expected, observed: `gpu ${kindOf(pod.gpu)}, cpu ${kindOf(pod.cpu)}` }
  return {
    exercised: [...(isWhole ? ['present'] : []), ...(shown.length > 0 ? ['omitted'] : [])],
    flaws: [
      ...(isWhole && shown.length === 0 ? [{ clause: 'present', expected, observed: 'neither' }] : []),
      ...(shown.length > 1 ? [both] : []),
    ],
  }
})

everyPod('pods.shape.mounts', ({ mounts }) => {
  const members = membersOf(mounts)
  return members === null ? null : mountFlaws(members)
})

everyPod('pods.shape.env', (pod) => ('env' in pod ? envFlaws(pod.env) : null))

everyPod('pods.shape.times', (pod) => {
  const exercised = [...('createdAt' in pod ? ['created-at'] : []), ...('startedAt' in pod ? ['started-at'] : [])]
  return { exercised, flaws: timeFlaws(pod) }
})
