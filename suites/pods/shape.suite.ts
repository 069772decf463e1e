import { membersOf } from '../harness/read.ts'
import { everyExchange } from '../harness/registry.ts'
import { everyPod, podsIn } from './pods-in.ts'
import { kindOf } from './readers.ts'
import { envFlaws, missingFields, mountFlaws, timeFlaws, typedClauses, typeFlaws } from './shapes.ts'

everyExchange('pods.shape.required', (exchange, target) => {
  const pods = podsIn(exchange, target)
  return pods.length === 0 ? null : { exercised: ['fields'], findings: pods.flatMap(missingFields) }
})

everyPod('pods.shape.types', (pod) => ({ exercised: typedClauses(pod), flaws: typeFlaws(pod) }))

everyPod('pods.shape.id-matches', ({ id }, { subject }) => {
  if (subject === null || typeof id !== 'string') return null
  const flaw = { clause: 'id', expected: 'the id asked for', observed: 'another id' }
  return { exercised: ['id'], flaws: id === subject ? [] : [flaw] }
})

everyPod('pods.shape.gpu-xor-cpu', (pod) => {
  const [shown, ...others] = ['gpu', 'cpu'].filter((name) => name in pod)
  const expected = 'gpu or cpu, and no key of the other'
  return {
    exercised: ['present', 'omitted'],
    flaws: [
      ...(shown === undefined ? [{ clause: 'present', expected, observed: 'neither' }] : []),
      ...others.map(() => ({
        clause: 'omitted',
        expected,
        observed: `gpu ${kindOf(pod.gpu)}, cpu ${kindOf(pod.cpu)}`,
      })),
    ],
  }
})

everyPod('pods.shape.mounts', (pod) => {
  const mounts = membersOf(pod.mounts)
  return mounts === null ? null : { exercised: ['one-kind', 'one-entry', 'closed'], flaws: mountFlaws(mounts) }
})

everyPod('pods.shape.env', (pod) =>
  'env' in pod ? { exercised: ['object', 'strings'], flaws: envFlaws(pod.env) } : null,
)

everyPod('pods.shape.times', (pod) => {
  const exercised = [...('createdAt' in pod ? ['created-at'] : []), ...('startedAt' in pod ? ['started-at'] : [])]
  return exercised.length === 0 ? null : { exercised, flaws: timeFlaws(pod) }
})
