import { createDirect } from '../harness/client/direct.ts'
import { type RateWindow, windowsOf } from '../harness/client/rate-windows.ts'
import { sectionOf } from '../harness/planes/index.ts'
import type { Plane } from '../harness/planes/plane.ts'
import { overHttp } from '../harness/transport/http.ts'
import { TransportFailure } from '../harness/transport/types.ts'
import type { Target } from '../target/types.ts'
import { version } from './home.ts'

/** The quotas that a plane shows. */
export interface ShownQuota {
  /** Empty if there are none. */
  readonly windows: readonly RateWindow[]
  /** Why the target did not answer; null if it did, or was not asked. */
  readonly failure: string | null
  /** How long a request takes, real ms; missing if unknown. */
  readonly requestMs?: number
}

/** The first request also opens the connection, which takes as long again. */
const ofFirst = 0.5

/** Sends a target in real time the request that shows the quota of an account, once, and reads that from the response. */
export async function quotaOf(plane: Plane, target: Target): Promise<ShownQuota> {
  const { clock, keys, tolerances } = target
  const section = sectionOf(target, plane.name)
  const shows = plane.pacing.refresh
  if (shows === null || section === null || clock !== 'real' || keys.full === undefined) {
    return { windows: [], failure: null }
  }
  const http = overHttp(tolerances)
  const startMs = performance.now()
  try {
    const userAgent = `plumbline/${version()} (plan)`
    const response = await createDirect({ transport: http.send, plane, section, token: keys.full, userAgent })(shows)
    return { windows: windowsOf(response), failure: null, requestMs: (performance.now() - startMs) * ofFirst }
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error
    return { windows: [], failure: error.message }
  } finally {
    await http.close()
  }
}
