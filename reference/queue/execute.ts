import type { Outcome } from '../../worker/program.ts'
import { type Endpoint, type Execution, type Job, tellWatchers, type Worker } from './model.ts'
import type { QueueService } from './service.ts'
import { after, lateBy, track } from './time.ts'
import { dismissWorker, freeWorker } from './workers.ts'

/** Hands out waiting jobs to idle workers, and then sees whether more workers are called for. */
export function dispatch(endpoint: Endpoint, service: QueueService): void {
  const { parts } = service
  for (;;) {
    const job = parts.nextJob(endpoint, service)
    if (job === null) break
    const worker = parts.takeWorker(endpoint, service)
    if (worker === undefined) break
    endpoint.waiting.remove(job)
    begin(job, worker, service)
  }
  parts.scaleWorkers(endpoint, service)
}

/** The first waiting job whose ttl is not over; null if there is none. */
export function nextJob({ waiting }: Endpoint, service: QueueService): Job | null {
  const nowMs = service.clock.now()
  if (service.style.ttlSweep === 'at-once') return waiting.first()
  for (const job of waiting.all()) if (service.parts.deadlineOf(job, service) > nowMs) return job
  return null
}

/**
 * Stops the execution of a job and frees its worker. What the handler reports later is refused, whether it heeds the
 * signal or not.
 */
export function stopExecution(job: Job, service: QueueService): void {
  const { execution, endpoint } = job
  if (execution === null) return
  leave(execution)
  execution.cancelStep?.()
  execution.stop.abort()
  if (execution.worker.execution === execution) freeWorker(execution.worker, endpoint, service)
}

/** True if an execution was not stopped, so that its report still counts. */
export function acceptsReport({ job, id }: Execution, _service: QueueService): boolean {
  return job.execution?.id === id
}

/** True if a job is executed again automatically (heading What the service does). */
export function retriesJob(job: Job, reason: 'died' | 'failed', { queue, style }: QueueService): boolean {
  if (reason === 'failed' && style.handlerRetry === 'no') return false
  return job.automaticRetries < queue.automaticRetries
}

/** Puts a job back among those that wait. */
export function requeueJob(job: Job, place: 'front' | 'back', service: QueueService): void {
  const { endpoint } = job
  job.status = 'IN_QUEUE'
  job.queuedMs = service.clock.now()
  job.partials = []
  job.drained = 0
  job.retries++
  endpoint.counts.retried++
  if (place === 'front') endpoint.waiting.addFirst(job)
  else endpoint.waiting.addLast(job)
}

function begin(job: Job, worker: Worker, service: QueueService): void {
  const { clock, life, parts, queue } = service
  const number = queue.next('execution') + 1
  job.attempts++
  const execution: Execution = {
    id: `${job.id}.${job.attempts}`,
    call: `x${number}`,
    job,
    worker,
    attempt: job.attempts,
    stop: new AbortController(),
    cancelTimeout: null,
    cancelStep: null,
  }
  worker.cancel?.()
  worker.cancel = null
  worker.state = 'running'
  worker.execution = execution
  job.status = 'IN_PROGRESS'
  job.startedMs = clock.now()
  job.workerId = worker.id
  job.execution = execution
  job.endpoint.counts.inProgress++
  const limitMs = parts.executionTimeoutOf(job, service)
  if (Number.isFinite(limitMs)) {
    const endMs = lateBy(clock.now() + limitMs, number, life.jobJitterMs)
    execution.cancelTimeout = clock.schedule(endMs, () => {
      execution.cancelTimeout = null
      parts.timeOutJob(job, service)
    })
  }
  execution.cancelStep = after(life.dispatchMs, service, () => {
    execution.cancelStep = null
    track(execution.call, () => run(execution, service), service)
  })
}

/** From the call of the program until everything that follows from its end is done. */
async function run(execution: Execution, service: QueueService): Promise<void> {
  const outcome = await outcomeOf(execution, service)
  execution.cancelStep = after(service.life.reportMs, service, () => {
    execution.cancelStep = null
    settle(execution, outcome, service)
  })
}

async function outcomeOf(execution: Execution, service: QueueService): Promise<Outcome> {
  const { attempt, call, id, job, stop, worker } = execution
  const { queue, parts } = service
  const { endpoint, input, s3Config } = job
  try {
    return await endpoint.program.execute(
      { id: job.id, input, s3Config, call, attempt, execution: id, worker: worker.id },
      {
        call: queue.call,
        signal: stop.signal,
        env: endpoint.env ?? {},
        gpu: endpoint.gpu,
        emit: (partial) => {
          if (parts.acceptsReport(execution, service)) parts.addPartial(job, partial, service)
        },
      },
    )
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) }
  }
}

/** Adds a partial result of the present execution. */
export function addPartial(job: Job, partial: unknown, _service: QueueService): void {
  job.partials.push(partial)
  tellWatchers(job)
}

function settle(execution: Execution, outcome: Outcome, service: QueueService): void {
  const { job, worker } = execution
  const { endpoint } = job
  const { parts, style } = service
  if (!parts.acceptsReport(execution, service)) return
  leave(execution)
  const isItsWorker = worker.execution === execution
  if (outcome.kind === 'died') {
    endpoint.deathsMs.push(service.clock.now())
    if (isItsWorker) dismissWorker(worker, endpoint)
  } else if (isItsWorker) freeWorker(worker, endpoint, service)
  if (outcome.kind === 'completed') parts.finishJob(job, 'COMPLETED', { output: outcome.output }, service)
  else {
    const reason = outcome.kind === 'died' ? 'died' : 'failed'
    if (parts.retriesJob(job, reason, service)) {
      job.automaticRetries++
      parts.requeueJob(job, style.requeuePlace, service)
    } else parts.finishJob(job, 'FAILED', { error: errorOf(outcome) }, service)
  }
  parts.dispatch(endpoint, service)
}

/** Detaches an execution from its job. */
function leave(execution: Execution): void {
  const { job } = execution
  execution.cancelTimeout?.()
  execution.cancelTimeout = null
  if (job.execution !== execution) return
  job.execution = null
  job.endpoint.counts.inProgress--
}

function errorOf(outcome: Outcome): string {
  if (outcome.kind === 'died') return 'the worker exited before the job was done'
  return outcome.kind === 'failed' && outcome.message !== '' ? outcome.message : 'the handler failed'
}
