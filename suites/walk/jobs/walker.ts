import type { ApiResponse } from '../../../harness/client/api-response.ts'
import { raw } from '../../../harness/client/body.ts'
import { isSuccess } from '../../../harness/exchange/exchange.ts'
import { canonical, idOrNumberIn, membersOf, show } from '../../../harness/exchange/read.ts'
import { submitted } from '../../../harness/planes/queue/fixtures/jobs.ts'
import { endIn, statusOf } from '../../../harness/planes/queue/job-status.ts'
import { inconclusiveIfOutage, isRefusal } from '../../../harness/rule/check.ts'
import type { Context } from '../../../harness/rule/context.ts'
import { encoded } from '../../fuzz/mutators/types.ts'
import type { Steps } from '../../fuzz/steps.ts'
import { plainEnd } from '../../shared/job-ends.ts'
import { formerEndHidden, submittedId } from '../../shared/job-responses.ts'
import { poll } from '../../shared/poll.ts'
import { expectRefusal } from '../../shared/refusal.ts'
import { rereadMoments } from '../../shared/unchanged.ts'
import { afterSteps, letterOf } from '../after.ts'
import type { WalkCall } from '../walk.ts'
import { callOn, requestOf, waitSeconds, withoutReceiver, wrongBody } from './calls.ts'
import {
  endsOf,
  explained,
  isExecutedAgain,
  isKept,
  isUnfinished,
  type JobModel,
  type JobsModel,
  observe,
  stop,
} from './model.ts'
import { type JobStep, jobOf, jobStepText } from './steps.ts'
import { ttlMs, wishOf } from './wishes.ts'

/** By how much a ttl that counts whole seconds may be early, ms. */
const earlyMs = 2_000

/** After this time no further step is taken, ms: jobs that are held end after ten minutes, and results after thirty. */
const longestMs = 180_000
/** How long a call of /stream is waited for, ms. */
const streamMs = 1_000

/**
 * The target as the steps of a walk on jobs see it: each is carried out, and all jobs are compared with the model. `given` is filled
 * with the steps as they are taken; without it, an expectation names the steps before it.
 */
export function createJobWalker(context: Context, given?: WalkCall[]) {
  const { check, clock, ended, fixture, found, queue, target } = context
  const calls = given ?? []
  const { dispatchMs, sweepMs } = target.tolerances
  const expiry = { ttlMs, earlyMs, lateMs: sweepMs }
  const after = (expected: string) => afterSteps(expected, given === undefined ? calls.map(({ said }) => said) : [])
  /** Jobs of wrong submissions that were accepted. */
  const strays: string[] = []
  let firstStepMs: number | null = null
  /** The status in which each job was seen last. */
  const lastSeen = new Map<string, string>()

  async function takeStep(step: JobStep, model: JobsModel): Promise<void> {
    calls.push({ said: jobStepText(step, model), step, ...requestOf(step, model) })
    await carryOut(step, model)
    for (const one of model.jobs) await look(one)
    // Before its first request a scenario has no time.
    firstStepMs ??= clock.now()
    if (clock.now() > firstStepMs + longestMs) model.left = 0
  }

  async function carryOut(step: JobStep, model: JobsModel): Promise<void> {
    switch (step.does) {
      case 'submit':
        return submit(step, model)
      case 'purge':
        return purge(model)
      case 'refused':
        return refuse(step)
      case 'wait':
        model.waitsLeft--
        await clock.sleep(waitSeconds * 1_000)
        return
    }
    const one = jobOf(step, model)
    if (one !== undefined) await { cancel, release, retry, stream }[step.does](one)
  }

  /** Keeps more about the last call. */
  function amend(more: Partial<WalkCall>): void {
    const last = calls.pop()
    if (last !== undefined) calls.push({ ...last, ...more })
  }

  async function refuse({ at }: Extract<JobStep, { readonly does: 'refused' }>): Promise<void> {
    const response = await queue.run(raw(wrongBody(at)))
    amend({ status: response.status })
    const id = idOrNumberIn(response.json)
    if (id !== null) strays.push(id)
    expectRefusal(context, 'refused', response)
  }

  async function submit(step: Extract<JobStep, { readonly does: 'submit' }>, model: JobsModel): Promise<void> {
    const { isDedicated, isNotified, kind } = step
    const letter = letterOf(model.jobs.length)
    const planned = fixture.job({
      ...wishOf(kind, letter),
      endpoint: isDedicated ? 'dedicated' : 'normal',
      ...(isNotified ? { webhook: true } : {}),
    })
    amend({ bytes: encoded(withoutReceiver(planned, letter)) })
    const response = await planned.queue.run(planned.body)
    amend({ status: response.status })
    const job = submitted(planned, submittedId(context, 'answered', planned.body, response), response)
    await found(job)
    const phase = kind === 'overruns' ? 'ending' : 'live'
    const rest = {
      isDedicated,
      isNotified,
      phase,
      isReleased: false,
      stoppedMs: Number.POSITIVE_INFINITY,
      startsBefore: 0,
    } as const
    model.jobs.push({ letter, job, kind, ...rest })
  }

  /** The worker goes on with a job; if it has begun, it ends soon. */
  async function release(one: JobModel): Promise<void> {
    const { beacon } = one.job
    beacon.release('go')
    one.isReleased = true
    if (one.phase === 'live') one.phase = 'ending'
    if (beacon.executions().length > 0) await ended(one.job, dispatchMs)
  }

  /** A platform may show a job that failed before it executes it again unasked. */
  async function settleFailed(one: JobModel): Promise<void> {
    if (one.phase === 'failed') observe(one, (await ended(one.job, target.tolerances.retriesMs)).status)
  }

  async function cancel(one: JobModel): Promise<void> {
    await settleFailed(one)
    const starts = startsOf(one)
    const response = await one.job.queue.cancel(one.job.id)
    amend({ status: response.status })
    expectAnswered(one, 'cancel', response, isKept(one))
    if (!isUnfinished(one) || !isSuccess(response.status)) return
    stop(one, clock.now(), starts)
    await leave(one, 'IN_QUEUE', 'IN_PROGRESS')
  }

  async function retry(one: JobModel): Promise<void> {
    await settleFailed(one)
    const response = await one.job.queue.retry(one.job.id)
    amend({ status: response.status })
    expectAnswered(one, 'retry', response, one.phase === 'failed')
    one.phase = 'ending'
    await formerEndHidden(context, one.job)
    await ended(one.job, dispatchMs)
  }

  /** A call that is held for long shows nothing. A job that waits may have no stream yet. */
  async function stream(one: JobModel): Promise<void> {
    const { beacon, id, queue: at } = one.job
    const isBegun = beacon.executions().length > 0
    const response = await clock.until(at.held.stream(id), clock.now() + streamMs)
    if (response !== null) amend({ status: response.status })
    if (response !== null) expectAnswered(one, 'stream', response, isKept(one) && isBegun)
  }

  async function purge(model: JobsModel): Promise<void> {
    model.purgesLeft--
    for (const one of model.jobs) if (one.isDedicated) await settleFailed(one)
    const mayWait = model.jobs.filter((one) => one.isDedicated && isUnfinished(one))
    const before = new Map<JobModel, { readonly status: string; readonly starts: number }>()
    for (const one of mayWait) {
      const status = statusOf(await one.job.queue.status(one.job.id))
      before.set(one, { status, starts: startsOf(one) })
    }
    const response = await queue.on('dedicated').purge()
    amend({ status: response.status })
    inconclusiveIfOutage(response)
    const isTaken = isSuccess(response.status)
    check('answered').that(isTaken, after('a success'), `status ${response.status} to purge`, response)
    for (const [one, { starts, status }] of before) {
      if (status === 'IN_QUEUE') {
        // A worker may have taken it just before the purge.
        if ((await leave(one, 'IN_QUEUE')) !== 'IN_PROGRESS') stop(one, clock.now(), starts)
      } else if (isExecutedAgain(one)) one.phase = 'open'
      // Its worker died just before the purge, so it waited and was cleared. queue.purge.running judges jobs that run.
      else if (endIn(await one.job.queue.status(one.job.id)) !== null) stop(one, clock.now(), starts)
    }
  }

  function expectAnswered({ letter }: JobModel, what: string, response: ApiResponse, mustBeTaken: boolean): void {
    inconclusiveIfOutage(response)
    const isExpected = isSuccess(response.status) || (!mustBeTaken && isRefusal(response))
    const expected = after(`a success${mustBeTaken ? '' : ' or a refusal'} to ${what} of ${letter}`)
    check('answered').that(isExpected, expected, `status ${response.status} to ${what}`, response)
  }

  /** Waits until a job is in none of these statuses, as long as that may take. */
  async function leave({ job, letter }: JobModel, ...statuses: readonly string[]): Promise<string> {
    const read = () => job.queue.status(job.id)
    const response = await poll(context, dispatchMs + sweepMs, read, (seen) => !statuses.includes(statusOf(seen)))
    const status = statusOf(response)
    const expected = after(`${letter} not ${statuses.join(' or ')}`)
    check('status').that(!statuses.includes(status), expected, status, response)
    return status
  }

  /** A job is as the model explains it. */
  async function look(one: JobModel): Promise<void> {
    const { job, letter } = one
    const response = await job.queue.status(job.id)
    inconclusiveIfOutage(response)
    const { received, sent } = response.exchange
    const { allowed, said: statuses } = explained(one, expiry, sent.target, received.target)
    const status = statusOf(response)
    check('status').that(allowed(status), after(`${letter} ${statuses}`), status, response)
    observe(one, status)
    const last = calls.at(-1)
    // A job may end in the status that it had before it was retried.
    if (last?.job === letter || lastSeen.get(letter) !== status) amend({ seen: { ...last?.seen, [letter]: status } })
    lastSeen.set(letter, status)
    if (status !== 'COMPLETED') return
    const output = membersOf(response.json)?.output
    const isOwn = canonical(output) === canonical({ letter })
    check('output').that(isOwn, after(`${letter} with ${show({ letter })}`), show(output), response)
  }

  /** Every job ends as it should, those that were stopped are not executed, and those that are COMPLETED are notified. */
  async function end({ jobs }: JobsModel): Promise<void> {
    for (const one of jobs.filter(isUnfinished)) {
      if (!one.isReleased) calls.push({ said: `${one.letter}: release`, ...callOn(one, 'release') })
      await release(one)
    }
    const startMs = clock.now()
    calls.push({ said: 'wait for all jobs', operation: 'wait' })
    await lastLooks(jobs).finally(() => amend({ seconds: Math.ceil((clock.now() - startMs) / 1_000) }))
  }

  async function lastLooks(jobs: readonly JobModel[]): Promise<void> {
    for (const one of jobs) if (isUnfinished(one)) await expectEnded(one)
    await clock.sleep(dispatchMs)
    for await (const _ of rereadMoments(context)) for (const one of jobs) await look(one)
    for (const { job, letter, phase, startsBefore, stoppedMs } of jobs) {
      const starts = job.beacon.executions().slice(startsBefore)
      // One worker may have taken it just before, and report that a moment later.
      const isExcused = starts.length <= 1 && starts.every(({ at }) => at.target <= stoppedMs + dispatchMs)
      const isExecuted = phase === 'stopped' && !isExcused
      check('not-executed').that(!isExecuted, after(`no execution of ${letter}`), 'an execution', job.response)
    }
    for (const { isNotified, job, letter, phase } of jobs) {
      if (!isNotified || phase !== 'completed') continue
      const attempt = await clock.until(job.webhook.attempt(), clock.now() + target.tolerances.webhookMs)
      check('notified').that(attempt !== null, after(`a notification of ${letter}`), 'none', job.response)
    }
  }

  async function expectEnded(one: JobModel): Promise<void> {
    const { isDedicated, job, letter } = one
    let end = await ended(job, target.tolerances.retriesMs)
    if (!end.settled) {
      await plainEnd(context, 'COMPLETED', isDedicated ? 'dedicated' : 'normal')
      end = await ended(job, dispatchMs)
    }
    const { response, status } = end
    const ends = [...endsOf(one), ...(one.kind === 'expires' ? ['gone'] : [])]
    check('ends').that(ends.includes(status), after(`${letter} ${ends.join(' or ')}`), status, response)
  }

  /** Lets no job of the walk live on: its end would be blamed on the next walk. */
  async function remove({ jobs }: JobsModel, outcomeOf: Steps['outcomeOf']): Promise<void> {
    for (const { job } of jobs) job.beacon.release('go')
    for (const { job, phase } of jobs)
      if (phase !== 'completed' && phase !== 'gone') await outcomeOf(() => job.queue.cancel(job.id))
    for (const id of strays) await outcomeOf(() => queue.cancel(id))
    const expiring = jobs.filter(({ kind, phase }) => kind === 'expires' && phase !== 'gone')
    const goneMs = expiring.map(({ job }) => job.response.exchange.received.target + ttlMs + sweepMs)
    if (goneMs.length > 0) await outcomeOf(() => clock.at(Math.max(...goneMs)))
  }

  return { takeStep, end, remove }
}

/** How often workers have begun with a job so far. */
function startsOf({ job }: JobModel): number {
  return job.beacon.executions().length
}
