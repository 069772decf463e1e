import { optionsOf, readPlan } from './lib/plan.ts'
import { queueDriver } from './lib/queue.ts'

// Every shape of load on endpoints (docs/load.md): the plan says what is sent, and when.
const plan = readPlan()

export const options = optionsOf(plan)
export const drive = queueDriver(plan)
