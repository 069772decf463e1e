import { optionsOf, readPlan } from './lib/plan.ts'
import { queueDriver } from './lib/queue.ts'

// Requests held open, a tenth more than may be: the ones beyond the limit get 429 (heading Limits).
const plan = readPlan('concurrency')

export const options = optionsOf(plan)
export const drive = queueDriver(plan)
