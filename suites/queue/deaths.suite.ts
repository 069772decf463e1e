import { tables } from '../../generated/tables.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { idOrNumberIn } from '../../harness/exchange/read.ts'
import type { JobWish, Step, SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { isRefusal, responseText } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { fillEndpoint } from '../shared/full-endpoint.ts'
import { expectEnd, expectOutput, expectReported, plainEnd } from '../shared/job-ends.ts'
import {
  blockedIfAllAreRefused,
  inconclusiveIfWaitOver,
  shownStatus,
  unfinished,
  whileWorkerMayCome,
} from '../shared/job-responses.ts'
import { poll } from '../shared/poll.ts'
import { answeredJob, expectRunning, leadMs, stopped } from './times.ts'

/** A refusal that comes as late as this may end the wait of /runsync, unless another one is set, ms. */
const usualWaitMs = tables.durations.runsyncWaitMs - 10_000
/** Where workers may die. */
const onDedicated = { exclusive: ['dedicated'], varies: ['input', 'options'] } as const

rule('queue.status.crash-once', onDedicated, async (context) => {
  const wish = { steps: [{ first: [{ exit: 1 }] }, { report: ['input'] }], endpoint: 'dedicated' } satisfies JobWish
  const job = await context.fixture.submitted(wish)
  await context.begun(job)
  await expectExecutedAgain(context, 'again', job)
  const synchronous = await answeredJob(context, wish)
  if (synchronous === null) return context.notJudged('runsync', '/runsync gave no id')
  await expectExecutedAgain(context, 'runsync', synchronous)
})

/** A job whose worker died is COMPLETED after another execution with the same input. */
async function expectExecutedAgain(context: Context, clause: string, job: SubmittedJob): Promise<void> {
  const { check, found, target } = context
  const isDone = (status: string) => status === 'COMPLETED'
  // A job that is FAILED may still be executed again unasked.
  const isOver = (seen: ApiResponse) => isDone(shownStatus(seen)) || job.beacon.executions().length === 0
  const response = await poll(context, target.tolerances.retriesMs, () => found(job), isOver)
  await expectReported(context, job, response)
  if (!isDone(shownStatus(response))) await plainEnd(context, 'COMPLETED', 'dedicated')
  const executions = job.beacon.executions().length
  const observed = `${shownStatus(response)} after ${executions === 1 ? 'the only execution' : 'further executions'}`
  const isAgain = isDone(shownStatus(response)) && executions > 1
  check(clause).that(isAgain, 'COMPLETED after another execution', observed, response)
  await expectOutput(context, 'input', { input: job.body.input }, response)
}

rule('queue.status.crash-others', onDedicated, async (context) => {
  const { begun, clock, ended, fixture, found, inconclusive, target } = context
  const held = [{ hold: 'go' }, { output: 1 }]
  const submit = (steps: readonly Step[]) => fixture.submitted({ steps, endpoint: 'dedicated' })
  const dying = await submit([{ first: [{ hold: 'die' }, { exit: 1 }] }, ...held])
  await begun(dying)
  const others = [await submit(held), await submit(held)]
  const seen = await Promise.all(others.map((job) => found(job)))
  const isWaiting = seen.some((one) => shownStatus(one) === 'IN_QUEUE')
  if (!isWaiting) inconclusive('no job waits beside the one whose worker dies: the endpoint has a worker for each')
  dying.beacon.release('die')
  // Whichever job the next worker takes, it holds it, and the rest waits.
  const starts = [dying.beacon.started(2), ...others.map(({ beacon }) => beacon.started())]
  const next = Promise.race(starts.map(({ comes }) => comes))
  await clock.until(next, clock.now() + target.tolerances.retriesMs)
  others.push(await submit(held))
  for (const { beacon } of [dying, ...others]) beacon.release('go')
  for (const job of others) await expectEnd(context, 'ends', job, await ended(job), 'COMPLETED')
})

rule('queue.execution-timeout.worker-died', onDedicated, async (context) => {
  const { begun, check, clock, ended, fixture, inconclusive, notJudged, target } = context
  const steps = [{ first: [{ exit: 1 }] }, { hold: 'never' }]
  const policy = { executionTimeout: 6_000 }
  const job = await fixture.submitted({ steps, policy, endpoint: 'dedicated' })
  await begun(job)
  const wait = () => clock.until(job.beacon.started(2), clock.now() + target.tolerances.retriesMs)
  const again = await whileWorkerMayCome(context, job, wait)
  if (again === null) {
    const end = await ended(job, 0)
    if (!end.settled) return inconclusive('a job whose worker died was not executed again')
    check('stopped').saw(end.response)
    return notJudged('stopped', 'a job whose worker died is not executed again')
  }
  const { response, settled, status } = await stopped(context, job, again.at.target + policy.executionTimeout, 2)
  check('stopped').that(settled, 'an end of the second execution', `status ${status}`, response)
  await expectTimeOfItsOwn(context)
})

/** The time that a job waits again after the death of its worker does not count. */
async function expectTimeOfItsOwn(context: Context): Promise<void> {
  const { begun, clock, fixture, found, inconclusive, notJudged, target } = context
  const { dispatchMs, retriesMs } = target.tolerances
  const steps = [{ first: [{ hold: 'die' }, { exit: 1 }] }, { hold: 'never' }]
  const policy = { executionTimeout: 30_000 }
  const job = await fixture.submitted({ steps, policy, endpoint: 'dedicated' })
  await begun(job)
  const { release } = await fillEndpoint(context, 'dedicated')
  if (shownStatus(await found(job)) !== 'IN_PROGRESS')
    return notJudged('own-time', 'the endpoint was not full within the executionTimeout')
  job.beacon.release('die')
  // Longer than the margin of the look at the second execution.
  await clock.sleep(2 * dispatchMs + 2 * leadMs)
  const hasWaited = job.beacon.executions().length === 1
  release()
  const again = await clock.until(job.beacon.started(2), clock.now() + retriesMs)
  if (!hasWaited) return notJudged('own-time', 'a job whose worker died did not wait again')
  if (again === null) return inconclusive('a job whose worker died was not executed again')
  await expectRunning(context, 'own-time', job, again.at.target, policy.executionTimeout)
  await job.queue.cancel(job.id)
}

rule('queue.crash-500', onDedicated, async (context) => {
  const { check, clock, fixture, inconclusive, reading, target } = context
  const job = fixture.job({ steps: [{ exit: 1 }], endpoint: 'dedicated' })
  await clock.sleep(0)
  const answer = job.queue.held.runsync(job.body)
  const wait = () => clock.until(answer, clock.now() + target.tolerances.retriesMs)
  const response = await whileWorkerMayCome(context, job, wait)
  if (response === null) return inconclusive('/runsync was not answered while its job was executed again')
  inconclusiveIfWaitOver(context, response)
  await blockedIfAllAreRefused(context, response)
  await expectReported(context, job, response)
  const { received, sent } = response.exchange
  const isWaitOver = response.status === 408 || received.target - sent.target >= usualWaitMs
  if (isRefusal(response) && isWaitOver) inconclusive('the wait of /runsync was over')
  check('answered').that(!isRefusal(response), 'no 4xx', responseText(response), response)
  const status = isSuccess(response.status) ? shownStatus(response) : String(response.status)
  check('not-completed').that(status !== 'COMPLETED', 'not COMPLETED', status, response)
  reading('response', unfinished.has(status) ? 'the wait was over' : status)
  const id = idOrNumberIn(response.json)
  if (unfinished.has(status) && id !== null) await job.queue.cancel(id)
})
