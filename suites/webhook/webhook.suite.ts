import { canonical, show } from '../../harness/exchange/read.ts'
import type { SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import type { WebhookAnswer } from '../../harness/receiver/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule, type ScenarioOptions } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import {
  countAttempts,
  expectOne,
  maxAttempts,
  requests,
  seconds,
  spacingMs,
  submittedTo,
  waitForAttempt,
} from '../shared/attempts.ts'
import { blockedBy, laterJobReads } from '../shared/job-responses.ts'

/** How long the receiver thinks before its first answer, ms; the time may count from the attempt or from its answer. */
const slowMs = 2_000
/** Time between the submissions, ms: a queue that is looked at every few seconds meets each job at another moment. */
const apartMs = 3_000

/** Jobs of these rules are done at once, so they keep no worker; the attempts take the time. */
const anyNotified = { varies: [...anyJob, 'submission'], workers: 0 } as const satisfies Partial<ScenarioOptions>

/** Failures, some of which senders of notifications commonly take for final. */
const failures = [404, 429, 503, 410, 400, 401, 403, 422, 502]
/** Success statuses other than 200. */
const successes = [201, 204, 202, 203, 206]

/** How long a job runs while nothing may be notified, ms. */
const runningMs = 5_000

const steps = [{ output: 1 }]

rule('webhook.once', { varies: anyJob }, async (context) => {
  const { fixture, begun, clock, check, inconclusive } = context
  const { job: synchronous } = await fixture.finished({ steps, webhook: true }, 'runsync')
  const webhook = { status: 200, text: 'ok' }
  // A partial result does not complete a job.
  const job = await fixture.submitted({ steps: [{ emit: 'half' }, { hold: 'go' }, { output: 1 }], webhook })
  await begun(job)
  const early = await clock.until(job.webhook.attempt(1), clock.now() + runningMs)
  check('not-before').that(early === null, 'no request while the job runs', 'a request', job.response)
  job.beacon.release('go')
  const first = await waitForAttempt(context, job, 1)
  if (first === null) return expectOne(context, 'notified', job)
  const [end] = job.beacon.ends()
  if (end === undefined) return inconclusive('a worker did not tell that it was done')
  context.freeWorkers()
  check('not-before').that(end.n < first.n, 'no request before the worker is done', 'a request', job.response)
  check('notified').saw(job.response)
  for (const one of [job, synchronous]) {
    const count = await countAttempts(context, 'once', one, 2)
    check('once').that(count === 1, 'no request after one that was answered 200', 'a second request', one.response)
  }
})

rule('webhook.retries', { ...anyNotified, shared: ['second'] }, async (context) => {
  const { fixture, check, part } = context
  // Other rules judge this for the normal endpoint.
  const endpoint = part('endpoint.second') ? 'second' : 'normal'
  const job = await fixture.sent({ steps, webhook: 500, endpoint })
  const count = await countAttempts(context, 'second', job, maxAttempts + 1)
  check('second').that(count >= 2, 'a second request after one that was answered 500', requests(count), job.response)
  check('no-fourth').that(count <= maxAttempts, `at most ${requests(maxAttempts)}`, requests(count), job.response)
})

rule('webhook.three', anyNotified, async (context) => {
  const { ended, fixture, check, notJudged } = context
  const job = await fixture.sent({ steps, webhook: 500 })
  const reset = await fixture.sent({ steps, webhook: ['reset', 'reset', 500] })
  const sharing = await fixture.sent({ steps, webhook: 500 })
  const another = await submittedTo(context, 'shared-url', () => sharing.webhook.url, true)
  const count = await countAttempts(context, 'three', job, maxAttempts + 1)
  check('three').that(count === maxAttempts, requests(maxAttempts), requests(count), job.response)
  // The rule about receivers without an answer judges whether there are more.
  const afterResets = await countAttempts(context, 'after-resets', reset, maxAttempts)
  check('after-resets').that(afterResets >= maxAttempts, requests(maxAttempts), requests(afterResets), reset.response)
  if (another === null || (await ended(another)).status !== 'COMPLETED')
    return notJudged('shared-url', 'the second job with this URL was refused or not COMPLETED')
  const shared = await countAttempts(context, 'shared-url', sharing, 2 * maxAttempts)
  check('shared-url').that(shared === 2 * maxAttempts, requests(2 * maxAttempts), requests(shared), sharing.response)
})

rule('webhook.stops-on-success', anyNotified, async (context) => {
  const { fixture, check } = context
  const second = await fixture.sent({ steps, webhook: [500, 200] })
  const third = await fixture.sent({ steps, webhook: [500, 500, 200] })
  for (const [clause, job, expected] of [
    ['two', second, 2],
    ['three', third, 3],
  ] as const) {
    const count = await countAttempts(context, clause, job, expected + 1)
    check(clause).that(count === expected, requests(expected), requests(count), job.response)
  }
})

rule('webhook.only-200', anyNotified, (context) => expectRetriedAfter(context, failures))

rule('webhook.only-200-strict', anyNotified, async (context) => {
  const { fixture, reading } = context
  // Nothing is at the root of the receiver, so one that follows is not answered 200 there.
  const redirected = await fixture.sent({ steps, webhook: [{ redirect: '/' }, 200] })
  await expectRetriedAfter(context, successes)
  reading('302', requests(await countAttempts(context, 'retried', redirected, 2)))
})

/** An attempt that is answered with each of these is followed by a second one, and that by a third. */
async function expectRetriedAfter(context: Context, statuses: readonly number[]): Promise<void> {
  const { fixture, check } = context
  const jobs = []
  for (const status of statuses)
    jobs.push({ status, job: await fixture.sent({ steps, webhook: [status, status, 200] }) })
  for (const { status, job } of jobs) {
    const count = await countAttempts(context, 'retried', job, maxAttempts)
    check('retried').that(count > 1, `a second request after a ${status}`, requests(count), job.response)
    if (count < maxAttempts) await expectThirdOfPlain(context)
    check('again').that(count >= maxAttempts, `a third request after another ${status}`, requests(count), job.response)
  }
}

/** Ends a rule in which no third attempt came, if none comes after two that were answered 500 either. */
async function expectThirdOfPlain(context: Context): Promise<void> {
  const twin = await context.fixture.plain({ steps, webhook: 500 })
  if ((await countAttempts(context, 'again', twin, maxAttempts)) < maxAttempts)
    context.blocked('webhook.three', 'no third attempt comes, even after 500')
}

/** How the receiver refuses the attempts of each job. */
const refusals: readonly (readonly WebhookAnswer[])[] = [
  [{ slowMs, status: 500 }, 500],
  [404, 503],
  ['reset', 500],
]

/** The time between two attempts. */
interface Gap {
  readonly ms: number
  /** The part of it that the receiver took to answer. */
  readonly answerMs: number
}

rule('webhook.spacing', { varies: anyJob, workers: 0 }, async (context) => {
  const { fixture, clock, target, check } = context
  const { webhookMeanMs, webhookSpacingMs } = target.tolerances
  const jobs: SubmittedJob[] = []
  for (const webhook of refusals) {
    if (jobs.length > 0) await clock.sleep(apartMs)
    jobs.push(await fixture.submitted({ steps: [{ output: 1 }], webhook }))
  }
  const gaps: Gap[] = []
  for (const [place, job] of jobs.entries()) gaps.push(...(await gapsOf(context, job, refusals[place] ?? [])))
  for (const gap of gaps) judge([gap], webhookSpacingMs, 'between two attempts')
  // Each may be off by much; all of them together may not.
  judge(gaps, webhookMeanMs, 'in the mean')

  function judge(some: readonly Gap[], toleranceMs: number, what: string): void {
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
    const ms = mean(some.map((gap) => gap.ms))
    const leastMs = spacingMs - toleranceMs
    const maxMs = spacingMs + toleranceMs + mean(some.map((gap) => gap.answerMs))
    refuseNear(context, jobs, ms, [leastMs, maxMs])
    const [first] = jobs
    const at = first?.response ?? null
    check('not-sooner').that(ms >= leastMs, `${seconds(leastMs)} or more ${what}`, seconds(ms), at)
    check('not-later').that(ms <= maxMs, `${seconds(maxMs)} at most ${what}`, seconds(ms), at)
  }
})

rule('webhook.no-effect-on-job', { varies: [...anyJob, 'look'], workers: 0 }, async (context) => {
  const { fixture, begun, clock, ended, inconclusive, target, check } = context
  const kept = [{ output: { kept: [1] } }]
  const twin = await ended(await fixture.plain({ steps: kept }))
  if (!twin.settled) inconclusive('a job without a webhook did not end in time')
  if (twin.status !== 'COMPLETED')
    blockedBy(context, 'queue.run.echo', `a plain job was ${twin.status} instead of COMPLETED`, twin.response)
  const job = await fixture.submitted({ steps: kept, webhook: [500, 'reset', 503] })
  await begun(job)
  let count = 0
  while (count < maxAttempts && (await waitForAttempt(context, job, count + 1)) !== null) count++
  await clock.sleep(target.tolerances.dispatchMs)
  for await (const response of laterJobReads(context, job)) {
    check('status').success(response)
    const { status, output } = check('status').object(response)
    check('status').that(status === 'COMPLETED', 'status "COMPLETED"', `status ${show(status)}`, response)
    const isSame = canonical(output) === canonical(twin.job?.output)
    check('output').that(isSame, `output ${show(twin.job?.output)}`, `output ${show(output)}`, response)
    const [first] = job.webhook.attempts()
    const more = job.beacon.executions().filter(({ n }) => n > (first?.n ?? Number.POSITIVE_INFINITY)).length
    check('executions').that(more === 0, 'no execution after the first attempt', `${more} more`, response)
  }
  if (count === 0) await expectOne(context, 'notified', job)
})

/** The times between the attempts of a job, which the receiver refuses with `answers`. */
async function gapsOf(context: Context, job: SubmittedJob, answers: readonly WebhookAnswer[]): Promise<Gap[]> {
  const count = await countAttempts(context, 'not-later', job, maxAttempts)
  if (count < maxAttempts) await expectRetried(context, job, count, answers[count - 1] ?? answers.at(-1))
  const attempts = job.webhook.attempts()
  return attempts.slice(1, maxAttempts).map((next, place) => {
    const former = attempts[place]
    return { ms: next.at.target - (former?.at.target ?? 0), answerMs: former?.answer.includes('after') ? slowMs : 0 }
  })
}

/**
 * Ends a rule in which no attempt followed the last of `count`. It fails, unless no attempt follows for a plain job either,
 * which the rule about its status judges.
 */
async function expectRetried(
  context: Context,
  { response }: SubmittedJob,
  count: number,
  answer: WebhookAnswer | undefined,
): Promise<void> {
  const { blocked, check, fixture } = context
  const isOther = typeof answer === 'number' && answer !== 500
  const [by, webhook, most] = isOther
    ? (['webhook.only-200', [answer, 200], 2] as const)
    : (['webhook.three', 500, maxAttempts] as const)
  const twin = await fixture.plain({ steps, webhook })
  if ((await countAttempts(context, 'not-later', twin, most)) < most) blocked(by, `attempt ${count + 1} did not come`)
  check('not-later').that(false, requests(maxAttempts), requests(count), response)
}

/** Ends the rule as inconclusive if a time is nearer to a bound than requests take. */
function refuseNear(
  { inconclusive }: Context,
  jobs: readonly SubmittedJob[],
  ms: number,
  bounds: readonly number[],
): void {
  const took = jobs.map(({ response: { exchange } }) => exchange.received.target - exchange.sent.target)
  if (bounds.some((bound) => Math.abs(ms - bound) < Math.max(...took))) {
    inconclusive('the time between attempts is nearer to its bound than a request takes')
  }
}
