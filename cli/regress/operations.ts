import type { OperationId } from '../../generated/operations.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import type { CallOptions } from '../../harness/client/caller.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { idOrNumberIn, type PodView } from '../../harness/exchange/read.ts'
import { planeOfOperation, sectionOf } from '../../harness/planes/index.ts'
import { changeOf } from '../../harness/planes/pods/fixtures/change.ts'
import type { Context } from '../../harness/rule/context.ts'
import { Inconclusive } from '../../harness/rule/outcome.ts'
import type { Target } from '../../target/types.ts'
import { suggestion } from '../../target-file/nearest.ts'
import { UsageError } from '../shared/errors.ts'

/** A target with everything that requests of the measured operations are about. */
export interface Subject {
  readonly context: Context
  /** The pod that is read and changed. */
  pod: PodView | null
  /** Ids of jobs and pods that were created and not used yet. */
  readonly jobs: string[]
  readonly pods: string[]
  /** True once a job has not ended in time. */
  hasStuckJob: boolean
}

/** An operation whose latency is measured. */
interface Measured {
  /** True if it is measured only if it is named. */
  readonly isNamed?: boolean
  readonly needsPod?: boolean
  /** Default: a request without an id and without a body. */
  readonly send?: (subject: Subject, options: CallOptions) => Promise<ApiResponse>
}

const measured = {
  listPods: {},
  getPod: {
    needsPod: true,
    send: ({ context, pod }, options) => context.on('pods').get(pod?.id ?? '', options),
  },
  updatePod: {
    needsPod: true,
    // An empty change, because a real one may restart the container.
    send: ({ context, pod }, options) =>
      context.on('pods').patch(pod?.id ?? '', pod === null ? {} : changeOf(context, pod, '', null), options),
  },
  createPod: {
    isNamed: true,
    async send({ context, pods }, options) {
      const response = await context.on('pods').create(await context.fixture.body(), options)
      const id = await context.fixture.createdId(response)
      if (id !== null) pods.push(id)
      return response
    },
  },
  deletePod: {
    isNamed: true,
    send({ context, pods }, options) {
      const id = pods.shift()
      if (id === undefined) throw new Inconclusive('deletePod: no pod was created to be deleted')
      return context.on('pods').delete(id, options)
    },
  },
  listCpuFlavors: {},
  runJob: {
    async send({ context, jobs }, options) {
      const response = await context.on('queue').run(submission(context), options)
      const id = isSuccess(response.status) ? idOrNumberIn(response.json) : null
      if (id !== null) jobs.push(id)
      return response
    },
  },
  getJobStatus: {
    send({ context, jobs }, options) {
      const id = jobs.length > 1 ? jobs.shift() : jobs[0]
      if (id === undefined) throw new Inconclusive('getJobStatus: no job was accepted whose status can be read')
      return context.on('queue').status(id, options)
    },
  },
  runJobSync: { send: ({ context }, options) => context.on('queue').runsync(submission(context), options) },
  getEndpointHealth: {},
  pingWorker: {},
  listEndpoints: {},
} as const satisfies Readonly<Partial<Record<OperationId, Measured>>>

export type MeasuredOperation = keyof typeof measured

const all: Readonly<Record<MeasuredOperation, Measured>> = measured

export function send(operation: MeasuredOperation, subject: Subject, options: CallOptions): Promise<ApiResponse> {
  const plane = planeOfOperation(operation).name
  return all[operation].send?.(subject, options) ?? subject.context.on(plane).call(operation, options)
}

/** Waits until the quota has room for so many requests in a row. Only the pod API has one that they may use up. */
export async function reserve(operation: MeasuredOperation, { context }: Subject, requests: number): Promise<void> {
  if (planeOfOperation(operation).name === 'pods') await context.reserve(requests)
}

/** Creates everything that the first requests of some operations are about. */
export async function prepare(context: Context, operations: readonly MeasuredOperation[]): Promise<Subject> {
  const subject: Subject = { context, pod: null, jobs: [], pods: [], hasStuckJob: false }
  if (operations.some((operation) => all[operation].needsPod === true)) subject.pod = await context.fixture.fresh()
  if (operations.includes('getJobStatus') && !operations.includes('runJob')) await send('runJob', subject, {})
  return subject
}

/**
 * The operations that all targets offer, or those of them that are named; pods are created only together with their deletion. Throws
 * UsageError for an operation that cannot be measured.
 */
export function operationsOf(names: readonly string[], targets: readonly Target[]): MeasuredOperation[] {
  const known = Object.keys(all) as MeasuredOperation[]
  const unknown = names.find((name) => !known.some((one) => one === name))
  if (unknown !== undefined)
    throw new UsageError(`--operation: "${unknown}" is not measured${suggestion(unknown, known)}`)
  const offered = known.filter((name) => targets.every((target) => isOffered(name, target)))
  const missing = names.find((name) => !offered.some((one) => one === name))
  if (missing !== undefined) throw new UsageError(`--operation ${missing}: not every target file has its plane`)
  const pairs = ['createPod', 'deletePod']
  const wanted = new Set(names.some((name) => pairs.includes(name)) ? [...names, ...pairs] : names)
  const chosen = offered.filter((name) => (names.length === 0 ? all[name].isNamed !== true : wanted.has(name)))
  if (chosen.length > 0) return chosen
  throw new UsageError('the target files have no plane in common whose operations are measured')
}

/** The CPU flavors are a part of the pod API that a target may lack. */
function isOffered(operation: MeasuredOperation, target: Target): boolean {
  if (operation === 'listCpuFlavors') return target.pods?.catalog === true
  return sectionOf(target, planeOfOperation(operation).name) !== null
}

/** The body of a job that a worker echoes. */
function submission({ target }: Context): Readonly<Record<string, unknown>> {
  return { input: target.queue?.input ?? { measured: 'plumbline regress' } }
}
