import { Refusal, wait } from '../../reference/index.ts'
import { composeOptions } from '../../reference/options.ts'
import { type Endpoint, isFinished, type Job, type JobStatus } from '../../reference/queue/model.ts'
import type { QueueService } from '../../reference/queue/service.ts'
import { all, type Change, type Json, jsonOf, part, readdressed, serving, type Wrap } from './tools.ts'

/** Jobs are shown otherwise in every response; `change` gets the job as it would be shown. */
export function showsJob(change: (shown: Json, job: Job) => Json): Change {
  return part('presentJob', (next, job) => change(next(), job))
}

/** Jobs in a status are shown otherwise. */
export function showsIn(status: JobStatus, change: (shown: Json) => Json): Change {
  return showsJob((shown, job) => (job.status === status ? change(shown) : shown))
}

/** The responses of /health are changed. */
export function showsHealth(change: (shown: Json, endpoint: Endpoint) => Json): Change {
  return part('presentHealth', (next, endpoint) => change(next(), endpoint))
}

/** Each start of an execution is posted once more, as a worker does whose first response was lost. */
export const startsToldTwice: Change = (base) => {
  const { call } = base
  if (call === undefined) return base
  return composeOptions(base, {
    async call(request) {
      if (!new URL(request.url).pathname.endsWith('/start')) return call(request)
      const again = request.clone()
      await (await call(request)).body?.cancel()
      return call(again)
    },
  })
}

/** For two seconds after /retry a job is shown as it was before. */
export const lagsAfterRetry: Change = (base) => {
  const former = new Map<Job, { readonly job: Job; readonly untilMs: number }>()
  return all(
    part('retryJob', (next, job, { clock }) => {
      const before = { ...job }
      next()
      former.set(job, { job: before, untilMs: clock.now() + 2_000 })
    }),
    part('presentJob', (next, job) => {
      const shown = former.get(job)
      return shown !== undefined && base.clock.now() < shown.untilMs ? next(shown.job) : next()
    }),
  )(base)
}

/** For a second and a half after the end of a job /status shows it as it was before. */
export const lagsAfterEnd: Change = (base) => {
  const former = new Map<Job, { readonly job: Job; readonly untilMs: number }>()
  let found: Job | null = null
  return all(
    part('finishJob', (next, job, ...[, , { clock }]) => {
      former.set(job, { job: { ...job }, untilMs: clock.now() + 1_500 })
      next()
    }),
    // Of the operations that look for a job, only /status shows it.
    part('findJob', (next) => {
      found = next()
      return found
    }),
    part('presentJob', (next, job) => {
      const shown = job === found ? former.get(job) : undefined
      found = null
      return shown !== undefined && base.clock.now() < shown.untilMs ? next(shown.job) : next()
    }),
  )(base)
}

/** A job whose time is over is executed anew, twice at most. */
export const executedAgain = part('timeOutJob', (next, job, service) => {
  if (job.automaticRetries >= service.queue.automaticRetries) return next()
  job.automaticRetries++
  restartJob(job, service)
})

/** A running job is stopped, and executed again. */
export function restartJob(job: Job, service: QueueService): void {
  service.parts.stopExecution(job, service)
  service.parts.requeueJob(job, 'front', service)
  service.parts.dispatch(job.endpoint, service)
}

/** A job that is executed again unasked waits for so long first. */
export function requeuesAfter(ms: number): Change {
  return part('requeueJob', (next, job, _, service) => {
    if (job.automaticRetries === 0) return next()
    service.clock.schedule(service.clock.now() + ms, () => {
      if (isFinished(job)) return
      next()
      service.parts.dispatch(job.endpoint, service)
    })
  })
}

/** Inputs are changed before a job is made of them. */
export function takesInput(change: (input: Json) => unknown): Change {
  return part('readSubmission', async (next) => {
    const submission = await next()
    return { ...submission, input: change(submission.input) as Json }
  })
}

/** Bodies of one operation that the reference refuses are taken as if they were another one. */
export function takesInstead(operation: 'run' | 'runsync', change: (text: string) => unknown): Change {
  return part('readSubmission', async (next, request) => {
    const text = await request.clone().text()
    try {
      return await next()
    } catch (error) {
      if (!(error instanceof Refusal) || !request.url.endsWith(`/${operation}`)) throw error
      const instead = change(text)
      if (instead === undefined) throw error
      const { method, headers, url } = request
      return next(new Request(url, { method, headers, body: JSON.stringify(instead) }))
    }
  })
}

/** A gateway answers 503 in place of an operation, for ever: from its n-th request on. */
export function out(operation: string, from = 1): Wrap {
  return (fetch) => {
    let requests = 0
    return async (request) =>
      asks(operation)(request) && ++requests >= from ? new Response('overloaded', { status: 503 }) : fetch(request)
  }
}

/** True for a request of this operation of the queue plane, on any endpoint. */
export function asks(operation: string): (request: Request) => boolean {
  return ({ url }) => new URL(url).pathname.split('/')[3] === operation
}

/** The service, except that a worker whose execution it stops stays busy forever. */
export function keepingWorkers(service: QueueService): QueueService {
  const { stopExecution } = service.parts
  const keepsIt: typeof stopExecution = (job) => {
    if (job.execution !== null) job.execution.worker.execution = null
    stopExecution(job, service)
  }
  return { ...service, parts: { ...service.parts, stopExecution: keepsIt } }
}

/** A change that knows if a queue was purged before. */
export function afterPurge(change: (isPurged: () => boolean) => Change): Change {
  return (base) => {
    let isPurged = false
    const noted = part('purgeJobs', (next) => {
      isPurged = true
      return next()
    })
    return all(
      noted,
      change(() => isPurged),
    )(base)
  }
}

/** The operation /runsync answers some submissions at once, as /run does. */
export function runsyncAtOnce(when: (body: Json, request: Request) => boolean): Change {
  return serving(async (request, { fetch }) => {
    const isMeant = asks('runsync')(request) && when((await jsonOf(request)) ?? {}, request)
    return fetch(isMeant ? readdressed(request.url.replace(/runsync$/, 'run'), request) : request)
  })
}

/** True for a job that ran past its executionTimeout. */
export function isTimedOut({ error }: Partial<Pick<Job, 'error'>>): boolean {
  return error?.includes('executionTimeout') === true
}

/** True for a job whose worker died. */
export function hasDied({ error }: Partial<Pick<Job, 'error'>>): boolean {
  return error?.includes('worker exited') === true
}

/** Responses of an operation come an hour late. */
export function answersLate(operation: 'run' | 'runsync'): Change {
  return serving(async (request, { clock, fetch }) => {
    const response = await fetch(request)
    if (asks(operation)(request)) await wait(3_600_000, { clock })
    return response
  })
}
