import type { Service } from '../service.ts'
import type { Job } from './job.ts'

/**
 * Waits until a job fulfils a condition, and `ms` of the clock at most; looks whenever something happens to the job.
 * @param signal ends the wait where nobody waits for the answer any more.
 */
export function waitForJob(
  job: Job,
  isFulfilled: () => boolean,
  ms: number,
  signal: AbortSignal,
  { clock, queue }: Service,
): Promise<void> {
  if (isFulfilled() || ms <= 0 || signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      cancel()
      signal.removeEventListener('abort', end)
      job.watchers?.delete(look)
      queue.pending.delete(end)
      resolve()
    }
    const look = () => {
      if (isFulfilled()) end()
    }
    const cancel = clock.schedule(clock.now() + ms, end)
    queue.pending.add(end)
    signal.addEventListener('abort', end)
    job.watchers ??= new Set()
    job.watchers.add(look)
  })
}
