import { optionsOf, readPlan } from './lib/plan.ts'
import { queueDriver } from './lib/queue.ts'

// Requests that fail, overload, silence, and then valid requests: none of the former may count as open (heading Limits).
const plan = readPlan('released')

export const options = optionsOf(plan)
export const drive = queueDriver(plan)
