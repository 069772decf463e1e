import type { Target } from '../suites/harness/target/types.ts'
import { type Transport, TransportFailure } from '../suites/harness/transport/types.ts'
import { version } from './home.ts'
import type { LedgerJob } from './runs.ts'

/** Cancels jobs by their ids. Answers those that may still run, each with the reason. */
export async function cancelJobs(
  jobs: readonly LedgerJob[],
  { queue, keys }: Target,
  send: Transport,
): Promise<{ readonly name: string; readonly reason: string }[]> {
  const failed: { name: string; reason: string }[] = []
  for (const { name, endpoint, id } of jobs) {
    if (id === null || queue === null) continue
    const path = queue.paths.cancelJob
      .replace('{endpoint}', () => encodeURIComponent(endpoint))
      .replace('{job}', () => encodeURIComponent(id))
    try {
      const { status } = await send({
        method: 'POST',
        url: queue.url + path,
        headers: [
          ['Accept', 'application/json'],
          ['Authorization', `Bearer ${keys.full ?? ''}`],
          ['User-Agent', `plumbline/${version()} (sweep)`],
        ],
        body: null,
      })
      // A job that is over, or gone, is refused in one way or another: it needs no more of anybody.
      if (status === 429 || status >= 500)
        failed.push({ name: `job ${name}`, reason: `its cancelling was answered ${status}` })
    } catch (error) {
      if (!(error instanceof TransportFailure)) throw error
      failed.push({ name: `job ${name}`, reason: error.message })
    }
  }
  return failed
}
