import { canonical, show } from '../../harness/exchange/read.ts'
import type { SubmittedJob } from '../../harness/fixtures/types.ts'
import type { WebhookAnswer } from '../../harness/receiver/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { blockedBy, laterLooks } from '../shared/job-answers.ts'
import { attempt, countAttempts, mostAttempts, spacingMs } from './attempts.ts'

/** How long the receiver thinks before its first answer, ms; the time may count from the attempt or from its answer. */
const slowMs = 2_000

/** How the receiver refuses the attempts of each job. */
const refusals: readonly (readonly WebhookAnswer[])[] = [
  [{ slowMs, status: 500 }, 500],
  [404, 503],
  ['reset', 500],
]

/** Time between the submissions, ms: a queue that is looked at every few seconds meets each job at another moment. */
const apartMs = 3_000

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
  for (const job of jobs) gaps.push(...(await gapsOf(context, job)))
  for (const gap of gaps) judge([gap], webhookSpacingMs, 'between two attempts')
  // Each may be off by much; all of them together may not.
  judge(gaps, webhookMeanMs, 'in the mean')

  function judge(some: readonly Gap[], toleranceMs: number, what: string): void {
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
    const ms = mean(some.map((gap) => gap.ms))
    const leastMs = spacingMs - toleranceMs
    const mostMs = spacingMs + toleranceMs + mean(some.map((gap) => gap.answerMs))
    refuseNear(context, jobs, ms, [leastMs, mostMs])
    const [first] = jobs
    const at = first?.reply ?? null
    check('not-sooner').that(ms >= leastMs, `${seconds(leastMs)} or more ${what}`, seconds(ms), at)
    check('not-later').that(ms <= mostMs, `${seconds(mostMs)} at most ${what}`, seconds(ms), at)
  }
})

rule('webhook.no-effect-on-job', { varies: [...anyJob, 'look'], workers: 0 }, async (context) => {
  const { fixture, begun, clock, ended, inconclusive, target, check } = context
  const steps = [{ output: { kept: [1] } }]
  const twin = await ended(await fixture.plain({ steps }))
  if (!twin.settled) inconclusive('a job without a webhook did not end in time')
  if (twin.status !== 'COMPLETED')
    blockedBy(context, 'queue.run.echo', `a plain job was ${twin.status} instead of COMPLETED`, twin.reply)
  const job = await fixture.submitted({ steps, webhook: [500, 'reset', 503] })
  await begun(job)
  let count = 0
  while (count < mostAttempts && (await attempt(context, job, count + 1)) !== null) count++
  await clock.sleep(target.tolerances.dispatchMs)
  for await (const reply of laterLooks(context, job)) {
    check('status').success(reply)
    const { status, output } = check('status').object(reply)
    check('status').that(status === 'COMPLETED', 'status "COMPLETED"', `status ${show(status)}`, reply)
    const isSame = canonical(output) === canonical(twin.job?.output)
    check('output').that(isSame, `output ${show(twin.job?.output)}`, `output ${show(output)}`, reply)
    const [first] = job.webhook.attempts()
    const more = job.beacon.executions().filter(({ n }) => n > (first?.n ?? Number.POSITIVE_INFINITY)).length
    check('executions').that(more === 0, 'no execution after the first attempt', `${more} more`, reply)
  }
  if (count === 0) context.blocked('webhook.once', 'no notification came at all')
})

/** The times between the attempts of a job. Throws Blocked if one is missing. */
async function gapsOf(context: Context, job: SubmittedJob): Promise<Gap[]> {
  const count = await countAttempts(context, 'not-later', job, mostAttempts)
  if (count < mostAttempts) context.blocked('webhook.three', `attempt ${count + 1} did not come`)
  const attempts = job.webhook.attempts()
  return attempts.slice(1, mostAttempts).map((next, place) => {
    const former = attempts[place]
    return { ms: next.at.target - (former?.at.target ?? 0), answerMs: former?.answer.includes('after') ? slowMs : 0 }
  })
}

/** Ends the rule as inconclusive if a time is nearer to a bound than requests take. */
function refuseNear(
  { inconclusive }: Context,
  jobs: readonly SubmittedJob[],
  ms: number,
  bounds: readonly number[],
): void {
  const took = jobs.map(({ reply: { exchange } }) => exchange.received.target - exchange.sent.target)
  if (bounds.some((bound) => Math.abs(ms - bound) < Math.max(...took))) {
    inconclusive('the time between attempts is nearer to its bound than a request takes')
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`
}
