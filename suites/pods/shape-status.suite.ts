import { kindOf } from '../shared/readers.ts'
import { actionFlaws, isPodStatus } from '../shared/shapes.ts'
import { everyPod } from './pods-in.ts'

everyPod('pods.shape.actions-match-status', actionFlaws)

everyPod('pods.shape.cost-zero', ({ cost, status }) => {
  if (typeof cost !== 'number' || (status !== 'EXITED' && status !== 'TERMINATED')) return null
  const flaw = { clause: 'zero', expected: `cost 0 while ${status}`, observed: `cost ${cost} while ${status}` }
  return { exercised: ['zero'], flaws: cost === 0 ? [] : [flaw] }
})

everyPod('pods.shape.runtime-null', ({ runtime, status }) => {
  if (runtime === undefined || !isPodStatus(status) || status === 'RUNNING') return null
  const flaw = { clause: 'null', expected: `null while ${status}`, observed: `${kindOf(runtime)} while ${status}` }
  return { exercised: ['null'], flaws: runtime === null ? [] : [flaw] }
})
