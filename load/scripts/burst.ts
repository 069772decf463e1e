import { optionsOf, readPlan } from './lib/plan.ts'
import { queueDriver } from './lib/queue.ts'

// Three times the limit at once: no kind of counting serves all of it (heading Limits).
const plan = readPlan('burst')

export const options = optionsOf(plan)
export const drive = queueDriver(plan)
