import { createControlledClock as createScenarioClocks } from '../../harness/clock/controlled.ts'
import { valueAt } from '../../harness/exchange/read.ts'
import type { LoadRule } from '../../harness/rule/load-rules.ts'
import { inProcess } from '../../harness/transport/in-process.ts'
import { TransportFailure } from '../../harness/transport/types.ts'
import { referenceTarget } from '../../proof/instance.ts'
import { createControlledClock, createReference, defaultKeys, type ReferenceOptions } from '../../reference/index.ts'
import type { PerWorkerRate, QueuePlane } from '../../target/types.ts'
import type { WorkerProgram } from '../../worker/program.ts'
import { type Conducted, conductLoad, oneByOne } from '../conduct.ts'
import { type Fills, jobsKey } from '../k6/script-plan.ts'
import { keepingOpen } from '../other-limits.ts'
import type { Shape } from '../plan/types.ts'
import { createQueueClient } from '../queue/client.ts'
import { type Drive, performQueue } from '../queue/perform.ts'
import { queueRequests } from '../queue/requests.ts'
import type { QueueStep } from '../queue/steps.ts'
import { filled } from '../scripts/lib/steps.ts'
import { driveOpenLoop, type Send } from './open-loop.ts'

const START_MS = 1_767_323_045_123
const PATIENCE_MS = 120_000
const noWorkers = { workersMin: 0, workersMax: 0, coldStartMs: 0, idleTimeoutMs: 0 }

/** The target of a reference whose endpoints have no workers. */
const target = referenceTarget('https://reference.test', 'real')
if (target.queue === null) throw new Error('the reference has no queue plane')
const queue: QueuePlane = { ...target.queue, worker: false }

export interface ReferenceLoad {
  readonly rules: ReadonlySet<LoadRule>
  readonly change?: (options: ReferenceOptions) => ReferenceOptions
  readonly windowScale?: number
  /** The shapes that are driven; default: all. Other shapes send nothing and are inconclusive. */
  readonly shapes?: readonly Shape[]
  /** Requests a window that each worker adds, as the target file says; unknown unless given. */
  readonly perWorkerRate?: PerWorkerRate
  /** True if the target file says that workers execute steps; default: false. */
  readonly worker?: boolean
}

/** A whole load of a reference in this process, on a clock that stands still until all that drive it wait. */
export async function loadReference(options: ReferenceLoad): Promise<Conducted> {
  const {
    rules,
    change = (options) => options,
    windowScale = 1,
    shapes,
    perWorkerRate = null,
    worker = false,
  } = options
  const controlled = createControlledClock(START_MS)
  const endpoints = [
    { id: 'dedicated', ...noWorkers },
    { id: 'second', ...noWorkers },
  ]
  const clocks = createScenarioClocks({ kind: 'virtual', control: controlled, startMs: START_MS })
  const reference = createReference(
    change({
      clock: controlled.clock,
      endpoints,
      queue: { windowScale, windowOffsetMs: 777 },
      ...(worker && { worker: sleeper(controlled.clock, (call) => clocks.holding(call)) }),
    }),
  )
  const fetch = controlled.wrap(reference.fetch)
  const clock = clocks.actor('load')
  const token = defaultKeys.full
  const send = inProcess(fetch)
  const client = createQueueClient({
    section: queue,
    token,
    userAgent: 'plumbline',
    tolerances: target.tolerances,
    clock,
    resources() {},
    // A response may take time on this clock, so it is waited for as what comes from outside is.
    async transport(request) {
      const response = await clock.until(send(request), controlled.clock.now() + PATIENCE_MS)
      if (response === null) throw new TransportFailure('timeout', `no response within ${PATIENCE_MS} ms`)
      return response
    },
  })
  try {
    const plane = { ...queue, perWorkerRate, worker }
    const drive: Drive<QueueStep> = async ({ plan }, fills) => {
      if (shapes?.includes(plan.shape) === false) return { points: [], notes: [] }
      const send = senderOf(fetch, token, fills)
      return { points: await driveOpenLoop({ plan, send, clock, now: controlled.clock.now }), notes: [] }
    }
    const conducted = await conductLoad({
      target: { ...target, queue: plane },
      load: { rules: [...rules], windowScale, isSmoke: false },
      action: 'stop',
      perform: (batch, done) =>
        oneByOne(batch, async (step) => {
          const options = { queue: plane, windowScale, client, clock, startMs: 10_000, drive }
          done(step, await performQueue(step as QueueStep, options))
        }),
    })
    for (const { reason } of conducted.brokenOff.values()) throw new Error(reason)
    return conducted
  } finally {
    clock.done()
    clocks.close()
    reference.close()
  }
}

/** Workers that execute the step sleepMs on a clock; the conformance worker takes real time for it. */
function sleeper(clock: ReferenceOptions['clock'], holding: (call: string) => () => void): WorkerProgram {
  return {
    execute: ({ call, input }, { signal }) =>
      new Promise((resolve) => {
        const steps = valueAt(input, 'plumbline.steps')
        const sleepMs = Array.isArray(steps) ? Number(valueAt(steps[0], 'sleepMs')) : 0
        const isAwake = holding(call)
        const wake = () => {
          isAwake()
          resolve({ kind: 'completed', output: null })
        }
        signal.addEventListener('abort', wake, { once: true })
        void clock.schedule(clock.now() + sleepMs, wake)
      }),
  }
}

/** Options with which every request that is admitted is held open for `ms`, and a refused one is not. */
export function holding(options: ReferenceOptions, ms: number): ReferenceOptions {
  const { clock } = options
  return keepingOpen(options, async ({ status }, release) => {
    if (status === 429) return
    await new Promise<void>((resolve) => void clock.schedule(clock.now() + ms, resolve))
    release()
  })
}

/** Sends the requests of a k6 script to a function. */
function senderOf(fetch: (request: Request) => Promise<Response>, token: string, { ids, jobs }: Fills): Send {
  const requests = queueRequests(queue)
  const taken = new Map<string, number>()
  return async ({ operation, endpoint, holdMs, isMissing }) => {
    const request = requests[operation]
    if (request === undefined) throw new Error(`nothing is sent for ${operation}`)
    const key = jobsKey({ operation, endpoint, ...(isMissing && { isMissing }) })
    const n = taken.get(key) ?? 0
    taken.set(key, n + 1)
    const own = jobs[key] ?? []
    const { method, path, body, key: secondKey } = filled(request, { ids, holdMs }, endpoint, own[n % own.length] ?? '')
    const authorization = `Bearer ${secondKey === undefined ? token : defaultKeys.second}`
    const headers = { authorization, 'content-type': 'application/json' }
    const response = await fetch(new Request(queue.url + path, { method, body, headers }))
    await response.arrayBuffer()
    return { status: response.status, retryAfter: response.headers.get('retry-after') }
  }
}
