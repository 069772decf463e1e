import { sleep } from 'k6'
import { optionsOf, readPlan } from './lib/plan.ts'
import { type PodAnswer, podSteps } from './lib/pod-steps.ts'
import { podSender } from './lib/pods.ts'

// One request after the other (headings Errors and Limits).
const plan = readPlan()
const send = podSender(plan)

export const options = optionsOf(plan)

export function drive(): void {
  if (plan.pods === null) return
  const steps = podSteps(plan.pods, plan.shape === 'pod-429', Date.now)
  let answer: PodAnswer | undefined
  for (let step = steps.next(answer); step.done !== true; step = steps.next(answer)) {
    if (step.value === 'send') answer = send()
    else sleep(step.value / 1000)
  }
}
