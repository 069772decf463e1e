import { sleep } from 'k6'
import { optionsOf, readPlan } from './lib/plan.ts'
import { podSender } from './lib/pods.ts'

// Requests until one is refused, one that comes too early, the wait that Retry-After states, and some more (headings
// Errors and Limits).
const plan = readPlan('pod-429')
const send = podSender(plan)
const nothing = { requests: 0, probes: 0, earlyShare: 0, earlyFromMs: 0, longestWaitMs: 0 }
const { requests, probes, earlyShare, earlyFromMs, longestWaitMs } = plan.pods ?? nothing

export const options = optionsOf(plan)

export function drive(): void {
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

/** Read leniently, a date or a fraction too: whether the form is right is judged from what was recorded. */
function statedWaitMs(retryAfter: string | null): number | null {
  if (retryAfter === null) return null
  const seconds = Number(retryAfter)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000)
  const date = Date.parse(retryAfter)
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now())
}
