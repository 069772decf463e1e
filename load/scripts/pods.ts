import { sleep } from 'k6'
import { optionsOf, readPlan } from './lib/plan.ts'
import { podSender } from './lib/pods.ts'

// One request after the other. pod-429: until one is refused, then one that comes too early, the wait that Retry-After
// states, and some more (headings Errors and Limits).
const plan = readPlan()
const send = podSender(plan)

export const options = optionsOf(plan)

export function drive(): void {
  if (plan.pods === null || plan.shape === 'pod-headers') {
    for (let n = 0; n < plan.planned; n++) send()
    return
  }
  const { requests, probes, earlyShare, earlyFromMs, longestWaitMs } = plan.pods
  for (let n = 0; n < requests; n++) {
    const { status, retryAfter } = send()
    if (status !== 429) continue
    let waitMs = statedWaitMs(retryAfter)
    if (waitMs === null || waitMs > longestWaitMs) return
    if (earlyShare > 0 && waitMs >= earlyFromMs) {
      sleep((waitMs * earlyShare) / 1000)
      const early = send()
      const anewMs = early.status === 429 ? statedWaitMs(early.retryAfter) : null
      waitMs = anewMs ?? waitMs * (1 - earlyShare)
      if (waitMs > longestWaitMs) return
    }
    sleep(waitMs / 1000)
    for (let probe = 0; probe < probes; probe++) send()
    return
  }
}

/** Read leniently, a date or a fraction too: the recorded header decides if its form is right. */
function statedWaitMs(retryAfter: string | null): number | null {
  if (retryAfter === null) return null
  const seconds = Number(retryAfter)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000)
  const date = Date.parse(retryAfter)
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now())
}
