import type { RuleId } from '../../generated/rules.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { membersOf, show } from '../../harness/exchange/read.ts'
import { acceptedId, submitted } from '../../harness/planes/queue/fixtures/jobs.ts'
import type { JobWish, SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { queueFoundations } from '../../harness/planes/queue/foundations.ts'
import type { Followed } from '../../harness/planes/queue/job-status.ts'
import { inconclusiveIfOutage, isRefusal, responseText } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { get } from './endpoints.ts'
import { blockedBy, blockedIfUnknownIsShown, mayBeOwn, submittedId } from './job-responses.ts'
import { poll, untilFound } from './poll.ts'
import { expectRefusal } from './refusal.ts'

/**
 * Submits a job to a new endpoint. Repeats that for a while if the endpoint is not reachable yet. `by`: the rule that judges
 * that it is.
 */
export async function submitTo(
  context: Context,
  at: string,
  wish: JobWish = {},
  by: RuleId = 'endpoints.address',
): Promise<SubmittedJob> {
  const { fixture, row, target } = context
  const job = fixture.job({ ...wish, at })
  const send = () => job.queue.run(job.body)
  const response = await poll(context, target.tolerances.visibleMs, send, ({ status }) => status !== 404)
  if (row.id === by) {
    if (isRefusal(response)) await context.relies(queueFoundations.accepted, responseText(response))
    return submitted(job, submittedId(context, 'reachable', job.body, response), response)
  }
  if (!isSuccess(response.status)) {
    if (by === 'endpoints.address') await blockedIfGone(context, at, response)
    blockedBy(context, by, `a job for a new endpoint was answered with ${responseText(response)}`, response)
  }
  return submitted(job, acceptedId(context, job.body, response), response)
}

/** Ends a rule whose new endpoint is gone: its id was given to two endpoints, of which another rule has removed one. */
export async function blockedIfGone(context: Context, id: string, response: ApiResponse): Promise<void> {
  const isGone = context.offers('management') && (await get(context, id)).status === 404
  if (isGone) blockedBy(context, 'endpoints.unique', `a new endpoint is gone: ${responseText(response)}`, response)
}

/** How long an idle worker of another endpoint may keep the capacity that this one needs, ms. Idle timeouts are seconds. */
const leavesMs = 60_000

/**
 * The end of a job. The rule fails if /status does not show the job although its endpoint exists. It also fails if the job does
 * not end in time and a later one on the same endpoint does. Otherwise no worker may be available, and it is inconclusive.
 * `isServedElsewhere`: true if an endpoint that gets workers as this one does executes jobs, so that workers are available.
 */
export async function endOf(
  context: Context,
  job: SubmittedJob,
  isServedElsewhere = async () => false,
): Promise<Followed> {
  const { check, ended, fixture, inconclusive } = context
  const { endpoint } = job.queue
  const shown = await untilFound(context, () => job.queue.status(job.id))
  inconclusiveIfOutage(shown)
  if (!isSuccess(shown.status)) {
    await context.relies(queueFoundations.shown, responseText(shown))
    await blockedIfGone(context, endpoint, shown)
    check('ends').that(false, 'a job that /status shows', responseText(shown), shown)
  }
  const end = await ended(job)
  if (end.settled) return end
  if (await isServedElsewhere()) {
    const { response, settled, status } = await ended(job, context.target.tolerances.coldStartMs + leavesMs)
    check('ends').that(settled, 'a job that ends', `${status}, although one of another endpoint ends`, response)
    return inconclusive('a job ended when its time was over: no worker was available before')
  }
  const twin = await fixture.plain({ at: endpoint })
  const isServed = (await ended(twin)).settled
  check('ends').that(!isServed, 'a job that ends', `${end.status}, although a later job ends`, end.response)
  return inconclusive(`a job was ${end.status} when its time was over: no worker may be available`)
}

/**
 * The output of a job of a new endpoint, once it has ended. Ends the rule as blocked if a plain job of the normal endpoint has
 * not the same output either.
 */
export async function expectOwnOutput(
  context: Context,
  clause: string,
  job: SubmittedJob,
  output: unknown,
  texts: (status: string, shown: unknown) => readonly [expected: string, observed: string],
  isServedElsewhere?: () => Promise<boolean>,
): Promise<void> {
  const { response, status } = await endOf(context, job, isServedElsewhere)
  const shown = membersOf(response.json)?.output
  const isOwn = show(shown) === show(output)
  if (!isOwn) await blockedIfPlainDiffers(context, output)
  context.check(clause).that(isOwn, ...texts(status, shown), response)
}

/** Ends the rule as blocked if a plain job of the normal endpoint has not this output either. */
export async function blockedIfPlainDiffers(context: Context, output: unknown): Promise<void> {
  const { fixture, ended, offers } = context
  if (!offers('worker')) return
  const { job, response, settled, status } = await ended(await fixture.plain({ steps: [{ output }] }))
  if (settled && show(job?.output) === show(output)) return
  const observed = status === 'COMPLETED' ? 'has another output' : `is ${status}`
  blockedBy(context, 'queue.run.echo', `a plain job ${observed} as well`, response)
}

/** Expects an endpoint not to show a job of another one, or another account not to show it. The rule is blocked if jobs that do not exist are shown. */
export async function expectNotShown(
  context: Context,
  clause: string,
  at: SubmittedJob['queue'],
  id: string,
): Promise<void> {
  const response = await at.status(id)
  await blockedIfUnknownIsShown(context, id, response)
  const { exchange, status } = response
  const isOpen = isSuccess(status) && exchange.key === 'full'
  if (!isOpen || !mayBeOwn(context, clause, id)) expectRefusal(context, clause, response)
}
