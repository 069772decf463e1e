import type { Job } from './model.ts'
import type { QueueService } from './service.ts'

/**
 * Waits until a job fulfils a condition, and `ms` of the clock at most; looks whenever something happens to the job.
 * @param signal ends the wait if nobody waits for the response any more.
 */
export function waitForJob(
  job: Job,
  isFulfilled: () => boolean,
  ms: number,
  signal: AbortSignal,
  { clock, queue }: QueueService,
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
