import type { RateOperation, Tables } from '../../generated/tables.ts'
import { createConformanceWorker } from '../../worker/conformance.ts'
import type { Call, WorkerProgram } from '../../worker/program.ts'
import { endpointIdForm, podSegments } from '../http/path.ts'
import { createOperationLimiter, type OperationLimiter } from '../limits/operation-limiter.ts'
import { OptionError } from '../option-error.ts'
import type { Endpoint, EndpointOffer, Worker } from './model.ts'
import { type Counted, defaultSettings, type QueueSettings, type QueueState } from './state.ts'
import { createWaitingJobs } from './waiting.ts'

export interface QueueSetup {
  readonly endpoints?: readonly EndpointOffer[]
  readonly queue?: Partial<QueueSettings>
  readonly call?: Call
  readonly worker?: WorkerProgram
  readonly tables: Pick<Tables, 'rates'>
  /** Of the accounts; the first one owns what names no owner. */
  readonly users: readonly string[]
  readonly jobId: (n: number) => string
  /** The template that is shown by endpoints that were created without one. */
  readonly templateId: string
  /** When the endpoints of the beginning were created. */
  readonly madeMs: number
}

/** The endpoints that a reference has unless it is given others. */
export const defaultEndpoints: readonly EndpointOffer[] = [
  { id: 'normal', workersMin: 3, workersMax: 14, coldStartMs: 2000, idleTimeoutMs: 5000 },
  { id: 'dedicated', workersMin: 2, workersMax: 2, coldStartMs: 2000, idleTimeoutMs: 5000 },
  { id: 'two-workers', workersMin: 2, workersMax: 2, coldStartMs: 2000, idleTimeoutMs: 5000 },
  { id: 'second', workersMin: 1, workersMax: 1, coldStartMs: 2000, idleTimeoutMs: 5000 },
  { id: 'scale-to-zero', workersMin: 0, workersMax: 1, coldStartMs: 5000, idleTimeoutMs: 5000 },
  {
    id: 'timeout',
    workersMin: 1,
    workersMax: 2,
    coldStartMs: 2000,
    idleTimeoutMs: 5000,
    executionTimeoutMs: 15_000,
  },
]

/**
 * The queue plane of one reference, with its endpoints and their first workers.
 * @throws OptionError for an option that has a wrong value or contradicts another.
 */
export function createQueueState(setup: QueueSetup): QueueState {
  const { call = unreachable, worker = createConformanceWorker(), jobId } = setup
  if (typeof call !== 'function') throw new OptionError('call', 'a function from a request to its response', call)
  if (typeof worker?.execute !== 'function') throw new OptionError('worker', 'a program with execute', worker)
  const settings = { ...defaultSettings, ...setup.queue }
  const counts: Record<Counted, number> = { job: 0, execution: 0, endpoint: 0, worker: 0, notification: 0 }
  const next = (what: Counted) => counts[what]++
  const endpoints = new Map<string, Endpoint>()
  const makeEndpoint = (offer: EndpointOffer) => createEndpoint(offer, worker, settings, setup, next)
  for (const offer of setup.endpoints ?? defaultEndpoints) {
    checkOffer(offer, setup, endpoints)
    endpoints.set(offer.id, makeEndpoint(offer))
  }
  return {
    ...settings,
    endpoints,
    makeEndpoint,
    call,
    program: worker,
    next,
    jobId,
    pending: new Set(),
    faults: [],
  }
}

function checkOffer(offer: EndpointOffer, { users }: QueueSetup, known: ReadonlyMap<string, Endpoint>): void {
  const { id, user, workersMin, workersMax } = offer
  const option = `endpoints (${id})`
  if (!endpointIdForm.test(id) || (podSegments as readonly string[]).includes(id)) {
    throw new OptionError('endpoints', `an id of letters, digits, - and _, and not ${podSegments.join(' or ')}`, id)
  }
  if (known.has(id)) throw new OptionError('endpoints', 'identifiers that differ', id)
  if (user !== undefined && !users.includes(user)) {
    throw new OptionError(`${option}.user`, `one of ${users.join(', ')}`, user)
  }
  if (workersMin > workersMax) throw new OptionError(`${option}.workersMin`, 'workersMax at most', workersMin)
}

function createEndpoint(
  offer: EndpointOffer,
  program: WorkerProgram,
  settings: QueueSettings,
  { madeMs, tables, templateId, users }: QueueSetup,
  next: (what: Counted) => number,
): Endpoint {
  const workers = new Set<Worker>()
  const idle: Worker[] = []
  for (let n = 0; n < offer.workersMin; n++) {
    const worker: Worker = { id: `worker-${next('worker') + 1}`, state: 'idle', execution: null, cancel: null }
    workers.add(worker)
    idle.push(worker)
  }
  const running = () => {
    let count = 0
    for (const { state } of workers) {
      if (state !== 'initializing' && (settings.idleWorkersCount || state !== 'idle')) count++
    }
    return count
  }
  return {
    ...offer,
    user: offer.user ?? users[0] ?? '',
    name: offer.id,
    templateId,
    gpuTypeIds: offer.gpu === undefined ? [] : [offer.gpu.id],
    gpu: offer.gpu ?? null,
    createdAtMs: madeMs,
    reachableAtMs: madeMs,
    program,
    jobs: new Map(),
    removed: new Set(),
    waiting: createWaitingJobs(),
    workers,
    idle,
    counts: { completed: 0, failed: 0, inProgress: 0, retried: 0 },
    deathsMs: [],
    health: null,
    limiters: createLimiters(offer, settings, tables, running),
  }
}

function createLimiters(
  { rates }: EndpointOffer,
  { limiter, perWorkerRate, windowOffsetMs, windowScale }: QueueSettings,
  tables: QueueSetup['tables'],
  running: () => number,
): Map<RateOperation, OperationLimiter> {
  const limiters = new Map<RateOperation, OperationLimiter>()
  for (const operation of Object.keys(tables.rates) as RateOperation[]) {
    limiters.set(
      operation,
      createOperationLimiter({
        rate: { ...tables.rates[operation], ...rates?.[operation] },
        kind: limiter,
        windowScale,
        offsetMs: windowOffsetMs,
        ...(perWorkerRate === 0 ? {} : { workersAllow: () => perWorkerRate * running() }),
      }),
    )
  }
  return limiters
}

function unreachable(): Promise<Response> {
  return Promise.reject(new Error('this reference reaches nobody: it was given no option `call`'))
}
