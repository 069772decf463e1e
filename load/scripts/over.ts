import { optionsOf, readPlan } from './lib/plan.ts'
import { queueDriver } from './lib/queue.ts'

// An even pace beyond the limit: requests beyond it get 429, and no more is served than it explains (heading Limits).
const plan = readPlan('over')

export const options = optionsOf(plan)
export const drive = queueDriver(plan)
