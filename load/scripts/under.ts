import { optionsOf, readPlan } from './lib/plan.ts'
import { queueDriver } from './lib/queue.ts'

// An even pace below the limit: no request may be refused without a reason (heading Limits).
const plan = readPlan('under')

export const options = optionsOf(plan)
export const drive = queueDriver(plan)
