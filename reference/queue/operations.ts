import { type Answer, jsonAnswer } from '../http/json.ts'
import { Refusal } from '../http/refusal.ts'
import type { QueueOperation } from '../operations.ts'
import { type Endpoint, isFinished, type Job } from './model.ts'
import type { QueueMatch } from './routes.ts'
import type { QueueService } from './service.ts'
import { nearestOf } from './submit.ts'
import { waitForJob } from './time.ts'

/** An authenticated, authorised and admitted request on an endpoint. */
interface QueueCall {
  readonly request: Request
  readonly match: QueueMatch
  readonly endpoint: Endpoint
}

type Handler = (call: QueueCall, service: QueueService) => Answer | Promise<Answer>

const DIGITS = /^\d{1,15}$/

/** The operations of the queue plane; success is 200 everywhere (heading Queue-based endpoint operations). */
export const queueOperations: { readonly [O in QueueOperation]: Handler } = {
  async runJob({ endpoint, request }, service) {
    const { parts } = service
    const submission = await parts.readSubmission(request, service)
    const { id } = parts.addJob(submission, 'run', endpoint, service)
    return jsonAnswer(200, { id, status: 'IN_QUEUE' }, service)
  },

  async runJobSync({ endpoint, match, request }, service) {
    const { parts, style } = service
    const waitMs = parts.runsyncWaitOf(match.query.get('wait'), endpoint, service)
    const submission = await parts.readSubmission(request, service)
    const job = parts.addJob(submission, 'runsync', endpoint, service)
    await waitForEnd(job, waitMs, request.signal, service)
    if (!isFinished(job)) return jsonAnswer(200, { id: job.id, status: job.status }, service)
    const isFailed = job.status === 'FAILED' || job.status === 'TIMED_OUT'
    return jsonAnswer(isFailed ? style.runsyncFailed : 200, parts.presentJob(job, service), service)
  },

  getJobStatus({ endpoint, match }, service) {
    const { parts } = service
    return jsonAnswer(200, parts.presentJob(parts.findJob(match.job, endpoint, service), service), service)
  },

  async streamJob({ endpoint, match, request }, service) {
    const { life, parts } = service
    const job = parts.findJob(match.job || (match.query.get('id') ?? ''), endpoint, service)
    const isNews = () => parts.endsStream(job, service) || job.drained < job.partials.length || job.isGone
    await waitForJob(job, isNews, life.streamHoldMs, request.signal, service)
    checkKept(job)
    return jsonAnswer(200, parts.presentStream(job, service), service)
  },

  cancelJob({ endpoint, match }, service) {
    const { parts } = service
    const job = parts.findJob(match.job, endpoint, service)
    return jsonAnswer(200, { id: job.id, status: parts.cancelJob(job, service) }, service)
  },

  retryJob({ endpoint, match }, service) {
    const { parts } = service
    const job = parts.findJob(match.job, endpoint, service)
    parts.retryJob(job, service)
    return jsonAnswer(200, { id: job.id, status: 'IN_QUEUE' }, service)
  },

  purgeQueue({ endpoint }, service) {
    return jsonAnswer(200, { removed: service.parts.purgeJobs(endpoint, service), status: 'completed' }, service)
  },

  getEndpointHealth({ endpoint }, service) {
    const { clock, life, parts } = service
    const nowMs = clock.now()
    if (endpoint.health === null || nowMs >= endpoint.health.atMs + life.healthCacheMs) {
      endpoint.health = { atMs: nowMs, shown: parts.presentHealth(endpoint, service) }
    }
    return jsonAnswer(200, endpoint.health.shown, service)
  },

  async callOpenaiRoute({ endpoint, match, request }, service) {
    const { parts } = service
    const waitMs = parts.runsyncWaitOf(null, endpoint, service)
    const submission = await parts.readRouteInput(request, match.route, service)
    const job = parts.addJob(submission, 'openai', endpoint, service)
    await waitForEnd(job, waitMs, request.signal, service)
    // A job that still waits for a worker is no internal error (heading Errors): as from /runsync, its id is the answer.
    if (!isFinished(job)) return jsonAnswer(200, { id: job.id, status: job.status }, service)
    if (job.status === 'COMPLETED') return jsonAnswer(200, job.output ?? null, service)
    throw new Refusal(500, job.error ?? 'the job was cancelled')
  },

  listRequests({ endpoint }, service) {
    return jsonAnswer(200, service.parts.presentRequests(endpoint, service), service)
  },
}

/**
 * How long /runsync waits, in milliseconds. Without a wish it is the executionTimeout of the endpoint, or else the
 * documented time, less a margin: who waits as long at the other end still hears the id.
 * @throws Refusal 400 for a wish that is no number, and by style for one outside the bounds.
 */
export function runsyncWaitOf(wish: string | null, endpoint: Endpoint, { life, style, tables }: QueueService): number {
  if (wish === null) {
    const waitMs = endpoint.executionTimeoutMs ?? tables.durations.runsyncWaitMs
    return Math.max(0, waitMs - life.runsyncMarginMs)
  }
  if (!DIGITS.test(wish)) throw new Refusal(400, 'wait must be an integer, milliseconds')
  const { minimum, maximum } = tables.bounds.runsyncWaitMs
  const waitMs = nearestOf(Number(wish), { minimum, maximum })
  if (waitMs !== Number(wish) && style.waitRange !== 'clamp') {
    throw new Refusal(style.waitRange, `wait must be from ${minimum} to ${maximum} milliseconds`)
  }
  return waitMs
}

/** True if nothing more will come over the stream of a job. */
export function endsStream(job: Job, _service: QueueService): boolean {
  return isFinished(job)
}

/** @throws Refusal 404 if the job is deleted meanwhile, unless it was cancelled or purged. */
async function waitForEnd(job: Job, ms: number, signal: AbortSignal, service: QueueService): Promise<void> {
  await waitForJob(job, () => isFinished(job) || job.isGone, ms, signal, service)
  checkKept(job)
}

function checkKept({ isGone, status }: Job): void {
  if (isGone && status !== 'CANCELLED') throw new Refusal(404, 'job not found')
}
