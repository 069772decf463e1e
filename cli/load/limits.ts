import { tables } from '../../generated/tables.ts'
import { type ConductOptions, conductLimits, conductSmoke } from '../../load/conduct.ts'
import { LoadError } from '../../load/load-error.ts'
import type { Point } from '../../load/points.ts'
import { createQueueClient, type QueueClient } from '../../load/queue/client.ts'
import { queueRequests } from '../../load/queue/requests.ts'
import { limitSteps, smokeSteps } from '../../load/queue/steps.ts'
import { createRealClock } from '../../suites/harness/clock/real.ts'
import type { Actor } from '../../suites/harness/clock/types.ts'
import type { QueuePlane, Target } from '../../suites/harness/target/types.ts'
import { UsageError } from '../errors.ts'
import type { Terminal } from '../terminal.ts'
import { selectLoad } from './select.ts'
import { type LoadOptions, type LoadSession, runSession } from './session.ts'

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
    throw new UsageError(`nothing can be loaded: ${reason?.reason ?? 'no rule was selected'}`)
  }
  const clock = createRealClock()
  const actor = clock.actor('load')
  const clientOf = ({ transport, userAgent }: LoadSession) =>
    createQueueClient({ transport, queue, token: target.keys.full ?? '', userAgent })
  let hasBegun = false
  try {
    return await runSession({
      kind,
      options,
      target,
      selection,
      terminal,
      async conduct(session) {
        const client = clientOf(session)
        const dedicated = queue.endpoints.dedicated ?? ''
        const known = {
          rules: selection.claimed,
          hasRequests: queue.requests,
          windowScale: options.windowScale,
          workers: 'unknown',
          holds: {},
        } as const
        const steps = kind === 'smoke' ? smokeSteps(known) : [...smokeSteps(known), ...limitSteps(known)]
        const drive = await session.driver(steps, queueRequests(queue), { first: queue.url, second: queue.url })
        hasBegun = true
        await client.health(dedicated)
        const conduct: ConductOptions = {
          queue,
          rules: selection.claimed,
          windowScale: options.windowScale,
          client,
          clock: actor,
          drive,
          signal: session.signal,
          ...session.progress,
        }
        if (kind === 'limits') return (await conductLimits(conduct)).undecided
        const { points, held, faults } = await conductSmoke(conduct)
        for (const point of points) terminal.out(lineOf(point, ''))
        for (const point of held) terminal.out(lineOf(point, ', held open'))
        const [fault] = faults.values()
        if (fault !== undefined) throw new LoadError(`${fault}.`)
        return new Map()
      },
      async tidy(session) {
        if (hasBegun)
          await purge(clientOf(session), queue.endpoints.dedicated ?? '', options.windowScale, actor, terminal)
      },
    })
  } finally {
    actor.done()
    clock.close()
  }
}

/** Empties the endpoint of the jobs that wait; a purge may be limited itself, so it is asked for again a window later. */
async function purge(
  client: QueueClient,
  endpoint: string,
  windowScale: number,
  clock: Pick<Actor, 'sleep'>,
  terminal: Terminal,
): Promise<void> {
  const { requests, windowSeconds } = tables.rates.purge
  let said = 'gave no answer'
  for (let tries = 0; tries <= requests; tries++) {
    if (tries > 0) await clock.sleep(windowSeconds * 1000 * windowScale)
    const status = await client.purge(endpoint).catch(() => 0)
    if (status >= 200 && status < 300) return
    if (status !== 0) said = `answered ${status}`
    if (status !== 429) break
  }
  terminal.err(
    `plumbline: jobs of this load may still wait on endpoint ${endpoint}, for its purge ${said}; they end with their ttl`,
  )
}

function lineOf({ operation, status, sentMs, receivedMs }: Point, how: string): string {
  return `${operation}${how}: ${status === 0 ? 'no answer' : status} after ${Math.round(receivedMs - sentMs)} ms`
}

function planeOf({ queue }: Target): QueuePlane {
  if (queue === null)
    throw new UsageError('the target file names no queue-based endpoints; add queue: {url, endpoints}')
  if (queue.endpoints.dedicated !== null) return queue
  throw new UsageError(
    'load floods and purges an endpoint, so the target file must mark one for that; add queue: {endpoints: {dedicated: ENDPOINT_ID}}',
  )
}
