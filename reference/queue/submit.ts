import type { Bound } from '../../generated/tables.ts'
import { Refusal } from '../http/refusal.ts'
import { planExpiry } from './end.ts'
import type { Endpoint, Job, Policy, Submission } from './model.ts'
import type { QueueService } from './service.ts'

/**
 * Reads a job submission body (heading Job submission body).
 * @throws Refusal 400 for whatever is wrong with it.
 */
export async function readSubmission(request: Request, service: QueueService): Promise<Submission> {
  const body = await readJson(request, service)
  service.parts.validate('JobSubmission', body, service)
  const {
    input,
    webhook,
    policy = {},
    s3Config,
  } = Object(body) as {
    readonly input: Submission['input']
    readonly webhook?: string
    readonly policy?: Policy
    readonly s3Config?: Readonly<Record<string, unknown>>
  }
  return {
    // Anything but an object comes only if that constraint is not enforced.
    input: Object(input),
    webhook: webhook ?? null,
    policy: service.parts.settlePolicy(policy, service),
    s3Config: s3Config ?? null,
  }
}

/** A policy with each time within its bounds; the nearest one if it is outside. */
export function settlePolicy(policy: Policy, { tables }: QueueService): Policy {
  const { executionTimeout, ttl } = policy
  const { executionTimeoutMs, ttlMs } = tables.bounds
  return {
    ...policy,
    ...(executionTimeout === undefined ? {} : { executionTimeout: nearestOf(executionTimeout, executionTimeoutMs) }),
    ...(ttl === undefined ? {} : { ttl: nearestOf(ttl, ttlMs) }),
  }
}

/** Reads the body of an OpenAI route as the input of a job. */
export async function readRouteInput(request: Request, route: string, service: QueueService): Promise<Submission> {
  const body = await readJson(request, service)
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal(400, 'the body must be an object')
  return { input: { openai_route: route, openai_input: body }, webhook: null, policy: {}, s3Config: null }
}

/** Puts a job of its own into the queue for an accepted submission. */
export function addJob(
  submission: Submission,
  operation: Job['operation'],
  endpoint: Endpoint,
  service: QueueService,
): Job {
  const { clock, parts, queue } = service
  const nowMs = clock.now()
  const n = queue.next('job')
  const job: Job = {
    ...submission,
    id: jobIdOf(n, operation, service),
    n,
    endpoint,
    operation,
    isScaling: parts.scalesWorkers(submission, service),
    submittedMs: nowMs,
    bornMs: nowMs,
    status: 'IN_QUEUE',
    queuedMs: nowMs,
    startedMs: null,
    finishedMs: null,
    workerId: null,
    output: undefined,
    error: null,
    partials: [],
    drained: 0,
    attempts: 0,
    retries: 0,
    automaticRetries: 0,
    execution: null,
    isGone: false,
    watchers: null,
    cancelExpiry: null,
    before: null,
    after: null,
  }
  endpoint.jobs.set(job.id, job)
  endpoint.waiting.addLast(job)
  planExpiry(job, service)
  parts.dispatch(endpoint, service)
  return job
}

/** True if a job that waits calls for workers (heading Job submission body). */
export function scalesWorkers({ policy }: Submission, _service: QueueService): boolean {
  return policy.lowPriority !== true
}

async function readJson(request: Request, service: QueueService): Promise<unknown> {
  try {
    return await service.parts.readBody(request, service)
  } catch (error) {
    // Whatever a body lacks, this plane knows one status for it.
    if (error instanceof Refusal) throw new Refusal(400, error.message)
    throw error
  }
}

/** The value itself, or the bound that it exceeds. */
export function nearestOf(value: number, { minimum = value, maximum = value }: Bound): number {
  return Math.min(Math.max(value, minimum), maximum)
}

function jobIdOf(n: number, operation: Job['operation'], { queue, style }: QueueService): string {
  if (style.jobIdForm === 'counted') return `${n}-eu`
  const word = queue.jobId(n)
  if (style.jobIdForm === 'word') return `job-${word}`
  if (style.jobIdForm === 'suffixed') return `${operation === 'run' ? '' : 'sync-'}${word.toUpperCase()}_${n % 10}-e1`
  const digits = Buffer.from(word).toString('hex').slice(-12)
  const head = Buffer.from(word).toString('hex')
  return `${head.slice(0, 8)}-${head.slice(8, 12)}-4${head.slice(13, 16)}-a${head.slice(1, 4)}-${digits}`
}
