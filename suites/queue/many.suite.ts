import { tables } from '../../generated/tables.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import { acceptedId, submitted } from '../../harness/planes/queue/fixtures/jobs.ts'
import type { JobWish, SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { endIn, statusOf } from '../../harness/planes/queue/job-status.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { responsesTo } from '../shared/at-once.ts'
import { fills, fullEndpoint } from '../shared/full-endpoint.ts'
import { completedTwin, expectWork, plainEnd } from '../shared/job-ends.ts'
import { poll, untilFound } from '../shared/poll.ts'
import { kindOfValue, reportOf } from '../shared/readers.ts'
import { rereadMoments } from '../shared/unchanged.ts'
import { busyWorkers, expectExecutedOnce } from './times.ts'

/** Jobs that are submitted at once: within what /run admits at once, and what two workers execute within minutes. */
const many = { real: 60, controlled: 200 }
/** Calls of /runsync that wait together. */
const synchronous = 12
/** Jobs that are executed, of which each must be executed once. */
const counted = 24
/** A job that must not be stopped while it is watched, ms. */
const longMs = 900_000
/** Jobs that wait for their turn. */
const queued = 12
/** Of 66 pairs. A random order exceeds it once in 120000 times; last in, first out gives 66. */
const maxReversedPairs = 60
/** Jobs that show how many workers there are. */
const warmUps = 4

rule('queue.status.no-loss', { exclusive: ['dedicated'] }, async (context) => {
  const { check, clock, ended, target } = context
  const { coldStartMs, dispatchMs } = target.tolerances
  await completedTwin(context, 'dedicated')
  await expectOwnOutputs(context)
  const count = target.clock === 'real' ? many.real : many.controlled
  const jobs = await submittedAtOnce(context, count, (n) => ({ steps: [{ output: { n } }] }))
  const endMs = clock.now() + coldStartMs + 2 * count * dispatchMs
  await clock.sleep(2 * dispatchMs)
  for (const [n, job] of jobs.entries()) {
    const response = await untilFound(context, () => job.queue.status(job.id))
    check('found').success(response)
    const first = endIn(response) ?? (await ended(job, Math.max(0, endMs - clock.now())))
    if (!first.settled) await plainEnd(context, 'COMPLETED', 'dedicated')
    const end = first.settled ? first : await ended(job, 0)
    check('ends').that(end.status === 'COMPLETED', 'COMPLETED', end.status, end.response)
    await expectOwn(context, n, end.response)
  }
})

rule('queue.status.once', { exclusive: ['dedicated'], varies: ['input', 'options'] }, async (context) => {
  const { begun, clock, ended, fixture, inconclusive, target } = context
  const { coldStartMs, dispatchMs } = target.tolerances
  const policy = { executionTimeout: longMs }
  const long = await fixture.submitted({ steps: [{ hold: 'go' }, { output: 1 }], endpoint: 'dedicated', policy })
  await begun(long)
  const jobs = await submittedAtOnce(context, counted, (n) => ({ steps: [{ output: n }] }))
  const starts = jobs.map(({ beacon }) => beacon.started().comes)
  // The endpoint may have a single worker, which takes the jobs after the long one.
  const isAlone = (await clock.until(Promise.race(starts), clock.now() + coldStartMs + dispatchMs)) === null
  if (!isAlone) for (const job of jobs) await ended(job)
  // Platforms that lose sight of a job which takes long execute it again.
  for await (const _ of rereadMoments(context)) expectOnce()
  long.beacon.release('go')
  for (const job of isAlone ? [long, ...jobs] : [long]) await ended(job)
  await clock.sleep(2 * dispatchMs)
  expectOnce()

  function expectOnce(): void {
    for (const job of [long, ...jobs]) {
      expectExecutedOnce(context, job)
      const isAgain = job.beacon.executions().length > 1
      if (isAgain && job !== long) inconclusive('a worker may have died, and its job came again')
    }
  }
})

rule('queue.status.parallel', { exclusive: ['twoWorkers'], varies: ['input', 'options'] }, async (context) => {
  const { begun, check, ended, fixture, inconclusive, target } = context
  const { coldStartMs, dispatchMs } = target.tolerances
  const wish = (steps: JobWish['steps']): JobWish => ({ steps: steps ?? [], endpoint: 'twoWorkers' })
  const early: SubmittedJob[] = []
  for (let n = 0; n < warmUps; n++) early.push(await fixture.submitted(wish([{ output: n }])))
  for (const job of early) {
    await begun(job)
    await ended(job)
  }
  const jobs: SubmittedJob[] = []
  for (let n = 0; n < busyWorkers; n++) jobs.push(await fixture.submitted(wish([{ hold: 'go' }, { output: n }])))
  // Either may be the first to be taken.
  const started = () => jobs.filter(({ beacon }) => beacon.executions().length > 0)
  await poll(
    context,
    coldStartMs + dispatchMs,
    async () => started().length,
    (count) => count === jobs.length,
  )
  const together = started()
  for (const { beacon } of jobs) beacon.release('go')
  if (together.length === 0) inconclusive('no worker began with a job')
  for (const job of jobs) {
    await begun(job)
    await ended(job)
  }
  const reports = [...early, ...jobs].flatMap(({ beacon }) => [...beacon.executions(), ...beacon.ends()])
  const names = reports.sort((a, b) => a.n - b.n).map((report) => reportOf(report).worker)
  // A worker that reports before and after another one exists beside it; else it may have been replaced.
  const isBeside = names.some((name, n) => names.slice(names.indexOf(name), n).some((other) => other !== name))
  const isTogether = together.length === jobs.length
  if (!isTogether && !isBeside) inconclusive('no two workers were seen to take jobs in turn')
  const last = jobs.at(-1)?.response ?? null
  check('together').that(isTogether, `${jobs.length} jobs that run at once`, `${together.length}`, last)
})

rule('queue.status.no-starvation', { ...fills, varies: ['input', 'options'] }, async (context) => {
  const { begun, check, fixture } = context
  const { role, release } = await fullEndpoint(context)
  const jobs: SubmittedJob[] = []
  for (let n = 0; n < queued; n++) jobs.push(await fixture.submitted({ steps: [{ output: n }], endpoint: role }))
  release()
  const starts: number[] = []
  for (const job of jobs) starts.push((await begun(job)).n)
  const pairs = starts.flatMap((start, n) => starts.slice(n + 1).filter((later) => later < start))
  const expected = `at most ${maxReversedPairs} pairs in which the later job starts first`
  const last = jobs.at(-1)?.response ?? null
  check('order').that(pairs.length <= maxReversedPairs, expected, `${pairs.length} pairs`, last)
})

/** Each of some calls of /runsync that wait together gets the output of its own job. */
async function expectOwnOutputs(context: Context): Promise<void> {
  const jobs = Array.from({ length: synchronous }, (_, n) =>
    context.fixture.job({ steps: [{ output: { n } }], endpoint: 'dedicated' }),
  )
  const answers = jobs.map(({ body, queue }) => queue.held.runsync(body))
  const responses = await responsesTo(context, answers, tables.durations.runsyncWaitMs)
  // The wait may have been over before, and other rules judge whether /runsync works.
  const completed = responses.flatMap((response, n) =>
    response !== null && statusOf(response) === 'COMPLETED' ? [{ n, response }] : [],
  )
  if (completed.length < 2) context.notJudged('calls of /runsync', 'no two of them were COMPLETED in time')
  for (const { n, response } of completed) await expectOwn(context, n, response)
}

/** A COMPLETED job has the output of its n-th plan. */
async function expectOwn(context: Context, n: number, response: ApiResponse): Promise<void> {
  const output = membersOf(response.json)?.output
  const seen = membersOf(output)?.n
  const observed = typeof seen === 'number' ? 'the output of another job' : kindOfValue(output)
  await expectWork(context, 'own', seen === n, 'the output of its own worker', observed, response)
}

/** Jobs of the dedicated endpoint, all submitted at once. */
async function submittedAtOnce(
  context: Context,
  count: number,
  wishOf: (n: number) => JobWish,
): Promise<SubmittedJob[]> {
  const planned = Array.from({ length: count }, (_, n) => context.fixture.job({ ...wishOf(n), endpoint: 'dedicated' }))
  const responses = await Promise.all(planned.map((job) => job.queue.run(job.body)))
  return planned.flatMap((job, n) => {
    const response = responses[n]
    if (response === undefined) return []
    return submitted(job, acceptedId(context, job.body, response), response)
  })
}
