import { resolve } from 'node:path'
import { createRealClock } from '../../harness/clock/real.ts'
import { counted } from '../../harness/common/counted.ts'
import { type ConductOptions, conductLimits, conductSmoke } from '../../load/conduct.ts'
import { LoadError } from '../../load/load-error.ts'
import type { Point } from '../../load/points.ts'
import { beforeSmoke, type LoadScope } from '../../load/queue/after-smoke.ts'
import { createQueueClient } from '../../load/queue/client.ts'
import { queueRequests } from '../../load/queue/requests.ts'
import { limitSteps, smokeSteps } from '../../load/queue/steps.ts'
import type { QueuePlane, Target } from '../../target/types.ts'
import { UsageError } from '../errors.ts'
import { tellLeft } from '../leftovers.ts'
import { beginLedger, readLedger, writeOwner } from '../runs.ts'
import { sweepRun } from '../sweep.ts'
import { interruptedMs, type SweepEnd } from '../sweep-patience.ts'
import type { Terminal } from '../terminal.ts'
import { withLedger } from './ledger.ts'
import { selectLoad } from './select.ts'
import { type LoadOptions, runSession } from './session.ts'

/** Loads the dedicated endpoint: one request of each operation, or every limit. */
export async function loadQueue(
  kind: 'smoke' | 'limits',
  options: LoadOptions,
  target: Target,
  terminal: Terminal,
): Promise<number> {
  const queue = planeOf(target)
  const selection = selectLoad(kind, target, options)
  if (selection.claimed.size === 0) {
    const [reason] = selection.leftOut.values()
    throw new UsageError(`nothing to load: ${reason?.reason ?? 'no rule was selected'}`)
  }
  const clock = createRealClock()
  const actor = clock.actor('load')
  let hasBegun = false
  try {
    return await runSession({
      kind,
      options,
      target,
      selection,
      terminal,
      async conduct(session) {
        const { transport, userAgent, run } = session
        const dedicated = queue.endpoints.dedicated ?? ''
        // k6 outlives this process for a while, and nothing is swept before its end.
        const own = (k6: readonly number[]) => writeOwner(terminal.cwd, run, [process.pid, ...k6])
        const scope: LoadScope = { queue, rules: selection.claimed, windowScale: options.windowScale }
        const known = beforeSmoke(scope)
        const steps = kind === 'smoke' ? smokeSteps(known) : [...smokeSteps(known), ...limitSteps(known)]
        const drive = await session.driver(steps, queueRequests(queue), { first: queue.url, second: queue.url }, (k6) =>
          own([k6]),
        )
        own([])
        const resources = beginLedger(terminal.cwd, run, resolve(terminal.cwd, options.target), target)
        resources({ kind: 'endpoint', endpoint: dedicated, url: queue.url, state: 'loaded' })
        hasBegun = true
        const sent = createQueueClient({ transport, queue, token: target.keys.full ?? '', userAgent })
        const client = withLedger(sent, dedicated, resources, target.tolerances)
        await client.health(dedicated)
        const conduct: ConductOptions = {
          ...scope,
          client,
          clock: actor,
          drive,
          signal: session.signal,
          ...session.progress,
        }
        if (kind === 'limits') return (await conductLimits(conduct)).undecided
        const { points, held, faults, heldFaults } = await conductSmoke(conduct)
        for (const point of points) terminal.out(lineOf(point, ''))
        for (const point of held) terminal.out(lineOf(point, ', held open'))
        for (const line of smokeLines([...points, ...held], [...faults, ...heldFaults])) terminal.out(line)
        const [fault] = faults.values()
        if (fault !== undefined) throw new LoadError(`${fault}.`)
        return new Map()
      },
      async tidy({ run, signal }) {
        const end = { signal, goesOnMs: interruptedMs }
        if (hasBegun) await sweepLoad(run, target, options.windowScale, end, terminal)
      },
    })
  } finally {
    actor.done()
    clock.close()
  }
}

/** Purges the waiting jobs of the endpoint, and cancels those that a purge does not remove. */
async function sweepLoad(
  run: string,
  target: Target,
  windowScale: number,
  end: SweepEnd,
  { cwd, err }: Terminal,
): Promise<void> {
  const ledger = readLedger(cwd, run)
  const { expiring, failed } = await sweepRun({ ledger, target, leaveKept: false, windowScale, end })
  if (expiring !== null) err(`plumbline: ${expiring}`)
  tellLeft(failed, run, { err })
}

function lineOf({ operation, status, sentMs, receivedMs }: Point, how: string): string {
  return `${operation}${how}: ${status === 0 ? 'no response' : status} after ${Math.round(receivedMs - sentMs)} ms`
}

/** The result of a smoke run: which operations can be driven, and why not the others. */
export function smokeLines(points: readonly Point[], faults: readonly (readonly [string, string])[]): string[] {
  const failed = new Set(faults.map(([operation]) => operation))
  const names = [...new Set([...points.map(({ operation }) => operation), ...failed])]
  const served = names.filter((name) => !failed.has(name))
  const reasons = [...new Set(faults.map(([, reason]) => reason))]
  const rest = reasons.length === 0 ? '' : '; load limits does not judge operations that are not served'
  return [
    ...reasons.map((reason) => `not served: ${reason}`),
    `smoke: ${served.length} of ${counted(names.length, 'operation')} served, nothing judged${rest}`,
  ]
}

function planeOf({ queue }: Target): QueuePlane {
  if (queue === null) throw new UsageError('the target file has no queue-based endpoints; add queue: {url, endpoints}')
  if (queue.endpoints.dedicated !== null) return queue
  throw new UsageError(
    'load floods and purges an endpoint, and the target file marks none for that; add queue: {endpoints: {dedicated: ENDPOINT_ID}}',
  )
}
