import type { ApiResponse } from '../../harness/client/api-response.ts'
import { membersOf, show } from '../../harness/exchange/read.ts'
import { drawnOptions } from '../../harness/planes/queue/fixtures/jobs.ts'
import type { JobWish, PlannedJob, SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import type { Followed, JobAt } from '../../harness/planes/queue/job-status.ts'
import { withoutReport } from '../../harness/planes/queue/own-jobs.ts'
import { redactorOf } from '../../harness/record/describe.ts'
import { inconclusiveIfOutage, isRefusal } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import type { EndpointRole } from '../../target/types.ts'
import { differenceOf } from './difference.ts'
import { blockedBy, shownStatus } from './job-responses.ts'

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
  twinAt = roleOf(context, job.queue),
): Promise<Followed> {
  const { check, ended, fixture, found, offers, row } = context
  check(clause).saw(end.response)
  if (end.settled && end.status === wanted) {
    // A job that no worker begins may be FAILED as well.
    if (wanted === 'FAILED' && offers('receiver')) await expectReported(context, job, end.response)
    return end
  }
  const twin = await plainEnd(context, wanted, twinAt)
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
 * would start a worker.
 */
function roleOf({ target }: Context, { endpoint }: { readonly endpoint?: string | undefined }): EndpointRole {
  const roles = ['dedicated', 'second', 'twoWorkers', 'executionTimeout', 'noExecutionTimeout'] as const
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

/** A FAILED job can be retried. Ends the rule as blocked if a job whose handler failed cannot either. */
export async function expectRetriable(
  context: Context,
  clause: string,
  { id, queue }: SubmittedJob,
  endpoint: EndpointRole,
): Promise<void> {
  const retry = await queue.retry(id)
  if (isRefusal(retry)) {
    const later = await failedJob(context, clause, { endpoint })
    const twin = await later.queue.retry(later.id)
    if (isRefusal(twin)) blockedBy(context, 'queue.retry.failed', `/retry was answered ${twin.status}`, twin)
  }
  context.check(clause).success(retry)
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
