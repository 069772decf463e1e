import { optionsOf, readPlan } from './lib/plan.ts'
import { queueDriver } from './lib/queue.ts'

// One limit exceeded, another one used a little: limits are per endpoint and operation (heading Limits).
const plan = readPlan('isolation')

export const options = optionsOf(plan)
export const drive = queueDriver(plan)
