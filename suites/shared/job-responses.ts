import type { RuleId } from '../../generated/rules.ts'
import { tables } from '../../generated/tables.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { mutate } from '../../harness/common/mutate.ts'
import { isSuccess, textOf } from '../../harness/exchange/exchange.ts'
import { canonical, idOrNumberIn, membersOf, show } from '../../harness/exchange/read.ts'
import { acceptedId, drawnOptions, validText } from '../../harness/planes/queue/fixtures/jobs.ts'
import type { JobWish, PlannedJob, SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { workerOf } from '../../harness/planes/queue/foundations.ts'
import { type Followed, type JobAt, statusOf } from '../../harness/planes/queue/job-status.ts'
import { withoutReport } from '../../harness/planes/queue/own-jobs.ts'
import { workerReport } from '../../harness/receiver/types.ts'
import { redactorOf } from '../../harness/record/describe.ts'
import { inconclusiveIfOutage, isOutage, isRefusal, responseText } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import type { EndpointRole } from '../../target/types.ts'
import { differenceOf } from './difference.ts'
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
    blocked('queue.runsync.completed', '/runsync did not accept a job')
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

/** The rules about how a job ends, and the plain job that each builds on. */
const ends = {
  COMPLETED: { rule: 'queue.run.echo', steps: [{ output: 1 }] },
  FAILED: { rule: 'queue.status.failed', steps: [{ fail: 'a plain failure' }] },
} as const

type End = keyof typeof ends

/**
 * The job ended as it should. If it did not, or not within its bound, a plain twin shows why: no worker may be there, or no
 * job at all ends so, which another rule judges. If the twin ends as it should, the job itself is at fault.
 */
export async function expectEnd(
  context: Context,
  clause: string,
  job: JobAt & Partial<Pick<PlannedJob, 'beacon' | 'body'>>,
  end: Followed,
  wanted: End,
): Promise<Followed> {
  const { check, ended, fixture, found, offers, row } = context
  check(clause).saw(end.response)
  if (end.settled && end.status === wanted) {
    // A job that no worker begins may be FAILED as well.
    if (wanted === 'FAILED' && offers('receiver')) await expectReported(context, job, end.response)
    return end
  }
  const twin = await plainEnd(context, wanted, roleOf(context, job.queue))
  if (twin.status !== wanted && row.id !== ends[wanted].rule) {
    blockedBy(context, ends[wanted].rule, `a plain job was ${twin.status} instead of ${wanted}`, twin.response)
  }
  const drawn = wanted === 'COMPLETED' && row.id !== ends.COMPLETED.rule ? drawnOptions(job.body ?? {}) : null
  if (drawn !== null) {
    const alike = await ended(await fixture.plain({ steps: ends.COMPLETED.steps, ...drawn }))
    const reason = `a job that has ${show(drawn)} and is else plain was ${alike.status}`
    if (alike.status !== wanted) blockedBy(context, ends.COMPLETED.rule, reason, alike.response)
  }
  const response = end.settled ? end.response : await found(job)
  const status = shownStatus(response)
  await expectWork(context, clause, status === wanted, wanted, status, response)
  return { ...end, status, response, job: membersOf(response.json) }
}

/**
 * The role of the endpoint for the twin of a job: its own, but the normal one in place of that which scales to zero, where it
 * would start a worker, and of the second one, which others use as well.
 */
function roleOf({ target }: Context, { endpoint }: { readonly endpoint?: string | undefined }): EndpointRole {
  const roles = ['dedicated', 'twoWorkers', 'executionTimeout', 'noExecutionTimeout'] as const
  const { normal } = target.queue?.endpoints ?? {}
  return endpoint === normal ? 'normal' : (roles.find((role) => target.queue?.endpoints[role] === endpoint) ?? 'normal')
}

/** Ends the rule if no worker reported an execution of its job: the steps of the job do not explain what a response shows. */
export async function expectReported(
  { endWithoutWorker }: Context,
  { beacon }: Partial<Pick<PlannedJob, 'beacon'>>,
  response: ApiResponse,
): Promise<void> {
  if (beacon?.executions().length === 0) await endWithoutWorker(withoutReport(response))
}

/**
 * As `that` of a check, about what the conformance worker made of a job: another worker may have executed it. With a receiver,
 * a failure is inconclusive if no worker reports a plain job either, nor has reported to the run; without one, it asks for the worker.
 */
export async function expectWork(
  context: Context,
  clause: string,
  ...[holds, expected, observed, at]: [boolean, string, string, ApiResponse]
): Promise<void> {
  const { check, ended, endUnlessReported, fixture, hasReport, offers } = context
  if (!holds && offers('receiver') && !hasReport()) {
    const twin = await fixture.plain({ steps: ends.COMPLETED.steps, endpoint: roleOf(context, at.exchange) })
    const end = await ended(twin)
    const isUnreported = end.settled && twin.beacon.executions().length === 0
    if (isUnreported) endUnlessReported(withoutReport(end.response))
  }
  const isInDoubt = offers('worker') && !offers('receiver')
  const hint = isInDoubt ? ' (is the conformance worker deployed there, as queue.worker says?)' : ''
  check(clause).that(holds, expected, observed + hint, at)
}

/** The end of a plain job that is COMPLETED. Ends the rule as blocked if it is not. */
export async function completedTwin(context: Context, endpoint?: EndpointRole): Promise<Followed> {
  const twin = await plainEnd(context, 'COMPLETED', endpoint)
  if (twin.status === 'COMPLETED') return twin
  return blockedBy(context, ends.COMPLETED.rule, `a plain job was ${twin.status} instead of COMPLETED`, twin.response)
}

/** The end of a plain job. Rejects with Inconclusive if one that should be COMPLETED does not end: no worker may be there. */
export async function plainEnd(context: Context, wanted: End, endpoint: EndpointRole = 'normal'): Promise<Followed> {
  const { ended, endWithoutWorker, fixture, inconclusive, target } = context
  const twin = await fixture.plain({ steps: ends[wanted].steps, endpoint })
  const end = await ended(twin, wanted === 'FAILED' ? target.tolerances.retriesMs : undefined)
  if (end.settled) return end
  if (end.status === 'IN_QUEUE') await endWithoutWorker()
  if (wanted === 'COMPLETED') inconclusive('no job ended in time')
  await plainEnd(context, 'COMPLETED', endpoint)
  return end
}

/** A job that is FAILED, because its handler fails each time unless it is told otherwise. */
export async function failedJob(context: Context, clause: string, wish: JobWish = {}): Promise<SubmittedJob> {
  const job = await context.fixture.submitted({ steps: ends.FAILED.steps, ...wish })
  await expectEnd(context, clause, job, await context.ended(job, context.target.tolerances.retriesMs), 'FAILED')
  return job
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
export function namesJob({ bytes }: ApiResponse, { id }: JobAt): boolean {
  return (textOf(bytes) ?? '').includes(JSON.stringify(id))
}

/** Expects the output in a response to equal `expected`. */
export async function expectOutput(
  context: Context,
  clause: string,
  expected: unknown,
  response: ApiResponse,
): Promise<void> {
  inconclusiveIfOutage(response)
  const difference = differenceOf(expected, membersOf(response.json)?.output, redactorOf(context.target).text)
  const [wanted, observed] = [`in the output ${difference?.expected}`, `${difference?.observed}`]
  await expectWork(context, clause, difference === null, wanted, observed, response)
}
