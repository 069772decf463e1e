import { type RateWindow, windowsOf } from '../harness/client/rate-windows.ts'
import { overHttp } from '../harness/transport/http.ts'
import { TransportFailure } from '../harness/transport/types.ts'
import type { Target } from '../target/types.ts'
import { version } from './home.ts'

/** The quotas that the pod API shows. */
export interface ShownQuota {
  /** Empty if it shows none. */
  readonly windows: readonly RateWindow[]
  /** Why the target gave no answer; null if it did, or was not asked. */
  readonly failure: string | null
  /** How long a request takes, real ms; left out if that is not known. */
  readonly requestMs?: number
}

/** The answer to the first request comes after a connection was made, which takes as long. */
const ofFirst = 0.5

/** Asks a target in real time for the list of pods, once, and reads the quotas that its answer shows. */
export async function quotaOf({ clock, keys, pods, tolerances }: Target): Promise<ShownQuota> {
  const nothing = { windows: [], failure: null }
  if (pods === null || clock !== 'real' || keys.full === undefined) return nothing
  const http = overHttp(tolerances)
  const startMs = performance.now()
  try {
    const response = await http.send({
      method: 'GET',
      url: pods.url + pods.paths.listPods,
      headers: [
        ['Accept', 'application/json'],
        ['Authorization', `Bearer ${keys.full}`],
        ['User-Agent', `plumbline/${version()} (plan)`],
      ],
      body: null,
    })
    return { windows: windowsOf(response), failure: null, requestMs: (performance.now() - startMs) * ofFirst }
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error
    return { windows: [], failure: error.message }
  } finally {
    await http.close()
  }
}
