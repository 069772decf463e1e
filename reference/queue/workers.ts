import type { Endpoint, Worker } from './model.ts'
import type { QueueService } from './service.ts'

/** Starts as many workers as the jobs that wait and run call for, between the least and the greatest number. */
export function scaleWorkers(endpoint: Endpoint, service: QueueService): void {
  const { workers, workersMin, workersMax, waiting, counts } = endpoint
  const wanted = Math.min(workersMax, Math.max(workersMin, waiting.scaling + counts.inProgress))
  while (workers.size < wanted) startWorker(endpoint, service)
}

/** The worker that takes the next job: of the idle ones the one that was idle longest. */
export function takeWorker({ idle }: Endpoint, _service: QueueService): Worker | undefined {
  return idle.shift()
}

/** Makes a worker that takes jobs from now on, or after a cold start. */
export function startWorker(endpoint: Endpoint, service: QueueService): void {
  const { clock, queue } = service
  const worker: Worker = {
    id: `worker-${queue.next('worker') + 1}`,
    state: 'initializing',
    execution: null,
    cancel: null,
  }
  endpoint.workers.add(worker)
  worker.cancel = clock.schedule(clock.now() + endpoint.coldStartMs, () => {
    worker.cancel = null
    freeWorker(worker, endpoint, service)
    service.parts.dispatch(endpoint, service)
  })
}

/** A worker without a job: it takes another, or leaves after the idle timeout if it is one too many. */
export function freeWorker(worker: Worker, endpoint: Endpoint, { clock }: QueueService): void {
  worker.state = 'idle'
  worker.execution = null
  endpoint.idle.push(worker)
  if (endpoint.workers.size <= endpoint.workersMin) return
  worker.cancel = clock.schedule(clock.now() + endpoint.idleTimeoutMs, () => {
    worker.cancel = null
    if (endpoint.workers.size > endpoint.workersMin) dismissWorker(worker, endpoint)
  })
}

/** The end of a worker, whatever it was doing. */
export function dismissWorker(worker: Worker, { idle, workers }: Endpoint): void {
  worker.cancel?.()
  worker.cancel = null
  workers.delete(worker)
  const place = idle.indexOf(worker)
  if (place !== -1) idle.splice(place, 1)
}
