import { optionsOf, readPlan } from './lib/plan.ts'
import { queueDriver } from './lib/queue.ts'

// Overload, a window without requests, then one request that must be served (heading Errors: back off).
const plan = readPlan('recovery')

export const options = optionsOf(plan)
export const drive = queueDriver(plan)
