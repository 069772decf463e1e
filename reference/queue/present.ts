import type { Endpoint, Job } from './model.ts'
import type { QueueService, Shown } from './service.ts'

/** How many jobs /requests lists at most. */
const REQUESTS_SHOWN = 1000

/** A job as /status and /runsync show it: output belongs to COMPLETED and error to FAILED (heading Job). */
export function presentJob(job: Job, { style }: QueueService): Shown {
  const { attempts, error, finishedMs, id, queuedMs, retries, startedMs, status, workerId } = job
  const isStarted = startedMs !== null && startedMs >= queuedMs && attempts > 0 && status !== 'IN_QUEUE'
  const isFull = style.jobFields === 'full'
  const shown: Record<string, unknown> = { id, status }
  if (isFull && isStarted) {
    shown.delayTime = grain(startedMs - job.submittedMs, style.jobTimes)
    if (finishedMs !== null) shown.executionTime = grain(finishedMs - startedMs, style.jobTimes)
    shown.workerId = workerId
  }
  if (status === 'COMPLETED') {
    const output = job.output ?? null
    if (output !== null || style.nullOutput === 'shown') shown.output = output
  } else if (status === 'IN_PROGRESS' && style.progressOutput === 'shown' && job.partials.length > 0) {
    shown.output = job.partials.at(-1)
  }
  if (error !== null) shown.error = error
  if (isFull && retries > 0) shown.retries = retries
  if (style.extraFields) Object.assign(shown, { priority: 0, tags: [] })
  return style.memberOrder === 'declared' ? shown : Object.fromEntries(Object.entries(shown).reverse())
}

/** The body of a webhook: the job as it ended, its input, and the address itself; nothing secret. */
export function presentNotification(job: Job, service: QueueService): Shown {
  return { ...service.parts.presentJob(job, service), input: job.input, webhook: job.webhook }
}

/** The response of /stream: each partial result once, or by style all of them each time. */
export function presentStream(job: Job, { style }: QueueService): Shown {
  const from = style.streamForm === 'new' ? job.drained : 0
  const stream = job.partials.slice(from).map((output) => ({ output }))
  job.drained = job.partials.length
  return { status: job.status, stream }
}

/** The response of /health: integers from 0. */
export function presentHealth(endpoint: Endpoint, { clock, life }: QueueService): Shown {
  const { counts, deathsMs, waiting, workers } = endpoint
  const sinceMs = clock.now() - life.unhealthyShownMs
  while (deathsMs[0] !== undefined && deathsMs[0] <= sinceMs) deathsMs.shift()
  const states = { initializing: 0, idle: 0, running: 0 }
  for (const { state } of workers) states[state]++
  return {
    jobs: {
      completed: counts.completed,
      failed: counts.failed,
      inProgress: counts.inProgress,
      inQueue: waiting.size,
      retried: counts.retried,
    },
    workers: {
      idle: states.idle,
      initializing: states.initializing,
      ready: states.idle + states.running,
      running: states.running,
      throttled: 0,
      unhealthy: deathsMs.length,
    },
  }
}

/** The response of /requests: the newest jobs of the endpoint first. */
export function presentRequests({ jobs }: Endpoint, _service: QueueService): Shown {
  const requests = [...jobs.values()].slice(-REQUESTS_SHOWN).reverse()
  return { requests: requests.map(({ id, status }) => ({ id, status })) }
}

function grain(ms: number, form: 'milliseconds' | 'seconds'): number {
  return form === 'milliseconds' ? ms : Math.floor(ms / 1000) * 1000
}
