import type { Cancel } from '../clock/types.ts'
import type { Job } from './model.ts'
import type { QueueService } from './service.ts'

/** Runs something after `ms`, at once if that is 0. */
export function after(ms: number, { clock }: QueueService, run: () => void): Cancel | null {
  if (ms > 0) return clock.schedule(clock.now() + ms, run)
  run()
  return null
}

/** Runs something that the clock waits for, listed as `id` from before it begins until it has ended. */
export function track(id: string, run: () => Promise<void>, { clock, queue }: QueueService): void {
  const { promise, resolve } = Promise.withResolvers<void>()
  clock.track?.(id, promise)
  // An error here is a fault of a part, outside any request that could throw it.
  run()
    .catch((fault: unknown) => void queue.faults.push(fault))
    .then(resolve)
}

/** A moment as late as `jitterMs` lets it be; `n` decides how late. */
export function lateBy(atMs: number, n: number, jitterMs: number): number {
  return jitterMs === 0 ? atMs : atMs + ((n * 7919 + 104_729) % (jitterMs + 1))
}

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
