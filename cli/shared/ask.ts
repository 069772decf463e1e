import { createDirect, type Direct } from '../../harness/client/direct.ts'
import { type RateWindow, windowsOf } from '../../harness/client/rate-windows.ts'
import { allPlanes, mayBeHeld, sectionOf } from '../../harness/planes/index.ts'
import type { Plane } from '../../harness/planes/plane.ts'
import { firstTolerances, probeTarget, refusalOf } from '../../harness/run/probe.ts'
import { overHttp } from '../../harness/transport/http.ts'
import { TransportFailure } from '../../harness/transport/types.ts'
import type { Target } from '../../target/types.ts'
import { version } from './package-paths.ts'

/** The quotas that a plane shows. */
interface ShownQuota {
  /** Empty if there are none. */
  readonly windows: readonly RateWindow[]
  /** Why the target did not answer; null if it did, or was not asked. */
  readonly failure: string | null
  /** How long a request takes, real ms; missing if unknown. */
  readonly requestMs?: number
}

/** A quota that takes longer is not in the plan, real ms; that the target is silent is found out by the run. */
const quotaPatienceMs = 5_000

/** A first request this slow may have woken the target, so that a second one is measured, real ms. */
const slowMs = 500

/**
 * Sends a target in real time the first probe of a plane, twice if the first is slow. The response shows how long a request takes
 * and, of a plane that has one, the quota of the account. Without a target, a plane or a key nothing is asked.
 */
export async function quotaOf(plane: Plane | undefined, target: Target | null): Promise<ShownQuota> {
  const [probe] = plane?.probes ?? []
  const section = target === null || plane === undefined ? null : sectionOf(target, plane.name)
  const isAsked = target?.clock === 'real' && target.keys.full !== undefined
  // The response of a held operation may wait for a worker.
  if (plane === undefined || probe === undefined || section === null || !isAsked || mayBeHeld(probe.operation))
    return { windows: [], failure: null }
  return asking(
    withTolerances(target, { answerMs: Math.min(quotaPatienceMs, target.tolerances.answerMs) }),
    'plan',
    async (clientOf) => {
      const measured = async () => {
        const startMs = performance.now()
        const response = await clientOf(plane)(probe.operation, probe.call?.(section as never))
        const windows = plane.pacing.isOfAccount ? windowsOf(response) : []
        return { windows, tookMs: performance.now() - startMs }
      }
      try {
        const first = await measured()
        // The first request also opens the connection, which takes as long again.
        if (first.tookMs < slowMs) return { windows: first.windows, failure: null, requestMs: first.tookMs / 2 }
        const { windows, tookMs } = await measured()
        return { windows, failure: null, requestMs: tookMs }
      } catch (error) {
        if (!(error instanceof TransportFailure)) throw error
        return { windows: [], failure: error.message }
      }
    },
  )
}

/**
 * Looks at planes of a target as a run does before it begins. Nobody advances a controlled clock then, so planes whose response
 * may need time are not asked there. Returns why nothing could be judged, or null.
 */
export function refusalBefore(
  target: Target,
  isJudged: (plane: string) => boolean,
  purpose: string,
  say: (line: string) => void,
): Promise<ReturnType<typeof refusalOf>> {
  const mayWait = (plane: Plane) => plane.probes.some(({ operation }) => mayBeHeld(operation))
  const held = target.clock === 'real' ? [] : allPlanes().filter(mayWait)
  const asked = { ...target, ...Object.fromEntries(held.map(({ name }) => [name, null])) }
  return asking(withTolerances(target, firstTolerances(target)), purpose, async (clientOf) =>
    refusalOf(await probeTarget(asked, isJudged, clientOf, say), target),
  )
}

function withTolerances(target: Target, tolerances: Partial<Target['tolerances']>): Target {
  return { ...target, tolerances: { ...target.tolerances, ...tolerances } }
}

/** Asks a target over HTTP, in the name of a command. */
export async function asking<T>(
  target: Target,
  purpose: string,
  work: (clientOf: (plane: Plane) => Direct) => Promise<T>,
): Promise<T> {
  const http = overHttp({ ...target.tolerances, network: target.network })
  const common = {
    transport: http.send,
    token: target.keys.full ?? '',
    userAgent: `plumbline/${version()} (${purpose})`,
  }
  const clientOf = (plane: Plane) => {
    const section = sectionOf(target, plane.name)
    if (section === null) throw new Error(`the target has no ${plane.title}`)
    return createDirect({ ...common, plane, section })
  }
  try {
    return await work(clientOf)
  } finally {
    await http.close()
  }
}
