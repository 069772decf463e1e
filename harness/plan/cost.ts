import type { Budget } from '../../target/types.ts'
import { lengthOf } from '../common/length.ts'
import { pluralize } from '../common/pluralize.ts'
import type { Plan } from './types.ts'

type Usage = Pick<Plan, 'pods' | 'podMs' | 'jobs'>
type Prices = Pick<Budget, 'podPricePerHour' | 'jobPrice'>

const hourMs = 3_600_000

/** The cost of the pods and jobs of a plan, USD; null if the target file has no price for what is created. */
export function costOf({ pods, podMs, jobs }: Usage, { podPricePerHour, jobPrice }: Prices): number | null {
  const ofPods = pods === 0 ? 0 : podPricePerHour
  const ofJobs = jobs === 0 ? 0 : jobPrice
  return ofPods === null || ofJobs === null ? null : (podMs / hourMs) * ofPods + jobs * ofJobs
}

/** The line about the cost of a plan, before anything is created. */
export function costLine(created: Usage, prices: Prices): string {
  const { pods, podMs, jobs } = created
  const parts = [
    ...(pods === 0 ? [] : [`about ${pluralize(pods, 'pod')} (${lengthOf(Math.max(1_000, podMs))} in all)`]),
    ...(jobs === 0 ? [] : [`about ${pluralize(jobs, 'job')}`]),
  ]
  if (parts.length === 0) return 'estimated cost: only the requests, since no pods or jobs are created'
  const cost = costOf(created, prices)
  const price =
    cost === null ? `unknown (set ${missing(created, prices)} in the target file)` : `about ${cost.toFixed(2)} USD`
  return `estimated cost: ${price}, for ${parts.join(' and ')}`
}

function missing({ pods, jobs }: Usage, { podPricePerHour, jobPrice }: Prices): string {
  const names = [
    ...(pods > 0 && podPricePerHour === null ? ['podPricePerHour: USD'] : []),
    ...(jobs > 0 && jobPrice === null ? ['jobPrice: USD'] : []),
  ]
  return `budget: {${names.join(', ')}}`
}
