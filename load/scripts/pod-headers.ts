import { optionsOf, readPlan } from './lib/plan.ts'
import { podSender } from './lib/pods.ts'

// One request after the other: RateLimit and RateLimit-Policy are on successful responses (heading Limits).
const plan = readPlan('pod-headers')
const send = podSender(plan)

export const options = optionsOf(plan)

export function drive(): void {
  for (let n = 0; n < plan.planned; n++) send()
}
