import type { RuleId } from '../../generated/rules.ts'
import { tables } from '../../generated/tables.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { mayCount, mutate } from '../../harness/common/mutate.ts'
import { isSuccess, textOf } from '../../harness/exchange/exchange.ts'
import { canonical, idOrNumberIn, membersOf } from '../../harness/exchange/read.ts'
import { acceptedId, validText } from '../../harness/planes/queue/fixtures/jobs.ts'
import type { JobWish, PlannedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { workerOf } from '../../harness/planes/queue/foundations.ts'
import { type JobAt, statusOf } from '../../harness/planes/queue/job-status.ts'
import { workerReport } from '../../harness/receiver/types.ts'
import { inconclusiveIfOutage, isOutage, isRefusal, responseText } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { poll } from './poll.ts'
import { kindOfValue } from './readers.ts'
import { rereadMoments } from './unchanged.ts'

/** Statuses of a job that waits or runs. */
export const unfinished: ReadonlySet<string> = new Set(['IN_QUEUE', 'IN_PROGRESS'])

/** The shortest wait that an endpoint may be set to: the least executionTimeout. */
export const leastWaitMs = tables.bounds.executionTimeoutMs.minimum

/** The shortest valid submission, before anything is made wrong with it. */
export function validSubmission({ target }: Pick<Context, 'target'>) {
  return { input: target.queue?.input ?? {} }
}

/** The id in the response to a valid submission, which must be a success; queue.run.accepted judges whether it is 200. */
export function submittedId(context: Context, clause: string, body: unknown, response: ApiResponse): string {
  inconclusiveIfOutage(response)
  const expected = `${validText(body)} is accepted (200)`
  context.check(clause).that(isSuccess(response.status), expected, responseText(response), response)
  return acceptedId(context, body, response)
}

/**
 * The status of a job that a response shows; `status NNN` for a response without success, `no status` for one without.
 * Throws Inconclusive for a gateway's response.
 */
export function shownStatus(response: ApiResponse): string {
  inconclusiveIfOutage(response)
  if (!isSuccess(response.status)) return `status ${response.status}`
  const shown = membersOf(response.json)?.status
  return typeof shown === 'string' ? shown : 'no status'
}

/** Throws Inconclusive if /runsync, whose response at the end of its wait is not described, may have given up waiting. */
export function inconclusiveIfWaitOver({ inconclusive }: Context, response: ApiResponse): void {
  inconclusiveIfOutage(response)
  const { received, sent } = response.exchange
  const showsJob = isSuccess(response.status) || idOrNumberIn(response.json) !== null
  if (!showsJob && received.target - sent.target >= leastWaitMs) inconclusive('the wait of /runsync was over')
}

/**
 * A job and its end, as `fixture.finished`. Ends the rule if /runsync was to accept the job and did not. If the ttl was over
 * before a worker came, the job is one of /run.
 */
export async function finishedBy(
  { blocked, clock, fixture }: Context,
  wish: JobWish,
  by: 'run' | 'runsync',
  ttlMs = Number.POSITIVE_INFINITY,
) {
  const sentMs = clock.now()
  const done = await fixture.finished(wish, by)
  const { operation, sent } = done.job.response.exchange
  // A target that counts whole seconds may be early.
  const isExpired = sent.target - sentMs >= ttlMs - 1_000
  if (by === 'runsync' && operation !== 'runJobSync' && !isExpired)
    blocked('queue.runsync.completed', '/runsync gave no job with an id')
  return done
}

/** Ends a rule whose submission is refused, if a plain one is refused by now as well. */
export async function blockedIfAllAreRefused({ fixture }: Context, response: ApiResponse): Promise<void> {
  if (isRefusal(response)) await fixture.plain()
}

/** Ends a rule whose job is shown although it should not be, if a job that does not exist is shown as well. */
export async function blockedIfUnknownIsShown(context: Context, id: string, { status }: ApiResponse): Promise<void> {
  if (!isSuccess(status)) return
  const unknown = await context.queue.status(mutate(id))
  if (isSuccess(unknown.status))
    blockedBy(context, 'queue.status.unknown', 'a job that does not exist is shown as well', unknown)
}

/** True, and noted as not judged, if ids may count: then the endpoint that was asked may have issued this id as well. */
export function mayBeOwn({ notJudged }: Pick<Context, 'notJudged'>, clause: string, id: string): boolean {
  const isOpen = mayCount(id)
  if (isOpen)
    notJudged(
      clause,
      'endpoints that count their jobs issue the same ids, so this job may belong to the endpoint that was asked',
    )
  return isOpen
}

/** Expects a job to be gone. */
export async function expectGone(
  context: Context,
  clause: string,
  { id }: JobAt,
  response: ApiResponse,
): Promise<void> {
  await blockedIfUnknownIsShown(context, id, response)
  context.check(clause).status(response, 404)
}

/** The response shows a job in a status other than COMPLETED, or refuses to show it. */
export function expectNotCompleted({ check }: Context, clause: string, response: ApiResponse): void {
  const status = shownStatus(response)
  const isConclusive = isRefusal(response) || (isSuccess(response.status) && status !== 'no status')
  check(clause).that(isConclusive && status !== 'COMPLETED', 'never COMPLETED', status, response)
}

/** Waits for a report of a job's worker, as `whileWorkerMayCome`. Once no worker reports in the run, that ends the rule too. */
export function whileWorkerMayReport<T>(
  context: Context,
  job: Pick<PlannedJob, 'queue'>,
  wait: () => Promise<T>,
): Promise<T> {
  return context.waitOnce(workerReport, { wait: () => whileWorkerMayCome(context, job, wait) })
}

/** Waits for something that needs a worker of the job's endpoint. Once none comes in the run, that ends the rule. */
export function whileWorkerMayCome<T>(
  { waitOnce }: Context,
  { queue }: Pick<PlannedJob, 'queue'>,
  wait: () => Promise<T>,
): Promise<T> {
  return waitOnce(workerOf(queue.endpoint), { wait })
}

/**
 * Sends a request again as long as a gateway answers in place of the API. If that lasts longer than the tolerance `outage`
 * while the endpoint answers another request, the operation itself is broken.
 */
export async function retryThroughOutage(
  context: Context,
  clause: string,
  send: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const { check, queue, target } = context
  const { outageMs } = target.tolerances
  const response = await poll(context, outageMs, send, (seen) => !isOutage(seen))
  if (isOutage(response)) {
    inconclusiveIfOutage(await queue.health())
    const observed = `status ${response.status} for ${outageMs / 1000} s, while /health is answered`
    check(clause).that(false, 'a response of the API', observed, response)
  }
  return response
}

/** Waits after /retry until /status no longer shows the former end, at most for the tolerance `visible`. */
export async function formerEndHidden(context: Pick<Context, 'clock' | 'target'>, { id, queue }: JobAt): Promise<void> {
  const isHidden = (response: ApiResponse) => !['FAILED', 'TIMED_OUT'].includes(statusOf(response))
  await poll(context, context.target.tolerances.visibleMs, () => queue.status(id), isHidden)
}

/** A job as it is looked at later, once for each second look of the run. */
export async function* laterJobReads(context: Pick<Context, 'clock' | 'rereadDelays'>, { id, queue }: JobAt) {
  for await (const _ of rereadMoments(context)) yield await queue.status(id)
}

/** Ends a rule that builds on what another rule judges. Throws Inconclusive if the response is a gateway's. */
export function blockedBy({ blocked }: Context, rule: RuleId, reason: string, at: ApiResponse): never {
  inconclusiveIfOutage(at)
  return blocked(rule, reason)
}

/** A finished job has the same status and result as before. */
export function expectSameEnd({ check }: Context, clause: string, before: ApiResponse, after: ApiResponse): void {
  const [was, is] = [before, after].map(shownStatus)
  check(clause).that(was === is, `${was}`, `${is}`, after)
  for (const name of ['output', 'error']) {
    const [was, is] = [before, after].map(({ json }) => canonical(membersOf(json)?.[name] ?? null))
    check(clause).that(was === is, `the same ${name}`, `another ${name}`, after)
  }
}

/** A response that shows a FAILED job has its error. */
export function expectError({ check }: Context, response: ApiResponse): void {
  const error = membersOf(response.json)?.error
  check('error').that(typeof error === 'string', 'a string', kindOfValue(error), response)
}

/** True if a response of /requests names a job. */
export function namesJob({ bytes, json }: ApiResponse, { id }: JobAt): boolean {
  // Characters may be escaped in more ways than one.
  return (json === undefined ? (textOf(bytes) ?? '') : JSON.stringify(json)).includes(JSON.stringify(id))
}
