import { optionsOf, readPlan } from './lib/plan.ts'
import { queueDriver } from './lib/queue.ts'

// One request of each operation: address, key and paths are right.
const plan = readPlan('smoke')

export const options = optionsOf(plan)
export const drive = queueDriver(plan)
