import type { OperationId } from '../../generated/operations.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import type { CallOptions } from '../../harness/client/caller.ts'
import { isSuccess, textOf } from '../../harness/exchange/exchange.ts'
import { idOrNumberIn } from '../../harness/exchange/read.ts'
import type { Context } from '../../harness/rule/context.ts'
import type { KeyName } from '../../target/types.ts'
import { oneWorker, tryToFill } from '../shared/full-endpoint.ts'
import { expectEnd } from '../shared/job-ends.ts'
import { blockedBy, blockedIfUnknownIsShown } from '../shared/job-responses.ts'
import { executeLaterJob } from '../shared/later-job.ts'
import { poll, untilFound } from '../shared/poll.ts'
import { type AuthPlane, type AuthRequest, createTwins, secretText } from './plane.ts'

/** Partial results of a running job, before and after its owner reads the stream. */
const [firstPart, lastPart] = ['a part', 'the last part']

/** Requests about a running job, if the suite can see that it runs, and about a failed one. */
export const queue: AuthPlane = {
  // A purge that is not refused is carried out.
  options: { exclusive: ['dedicated'], workers: oneWorker, varies: ['order', 'sample'] },
  partOf: {
    streamJob: 'stream',
    listRequests: 'requests',
    callOpenaiRoute: 'openai',
    purgeQueue: 'endpoint.dedicated',
    retryJob: 'worker',
  },
  async arrange(context, wanted, _scope, judgesEffects) {
    const { begun, check, clock, ended, fixture, notJudged, offers, part, queue, queueAs, target } = context
    const twins = createTwins(context, {
      getJobStatus: 'queue.status.shape',
      cancelJob: 'queue.cancel.running',
      runJobSync: 'queue.runsync.completed',
    })
    const secret = secretText(context)
    const input = { secret }
    const fails = { input, ...(part('worker') ? { steps: [{ fail: 'once more' }] } : {}) }
    let failing = await fixture.submitted(fails)
    const isShown = twins.works('getJobStatus', await untilFound(context, () => queue.status(failing.id)))
    // Without /status, nobody sees what a job does.
    const isSeen = offers('worker') && offers('receiver') && isShown
    const steps = [{ emit: firstPart }, { hold: 'read' }, { emit: lastPart }, { hold: 'go' }, { output: 'done' }]
    const held = { input, ...(isSeen ? { steps } : {}) }
    // Only a job that failed is for /retry; any other would be refused to its owner too.
    let failure = part('worker') && isShown ? await ended(failing) : null
    if (failure !== null && failure.status !== 'FAILED') {
      // The requests of another rule may have kept that job from its end.
      failing = await fixture.submitted(fails)
      failure = await ended(failing)
    }
    const hasFailed = failure?.status === 'FAILED'
    // A platform may hide a running job from another account and still show one that has ended.
    const isRead = part('worker') && isShown && wanted.includes('getJobStatus')
    const completed = isRead ? await fixture.submitted({ input, steps: [{ output: 1 }] }) : null
    const hasCompleted = completed !== null && (await ended(completed)).status === 'COMPLETED'
    const readCompleted = (key: KeyName, options?: CallOptions) =>
      queueAs(key).call('getJobStatus', { ...options, ids: { job: completed?.id ?? '' } })
    const ofEnded: readonly AuthRequest[] = hasCompleted ? [{ operation: 'getJobStatus', send: readCompleted }] : []
    const done = offers('worker') ? await queue.runsync({ input }) : null
    if (done !== null) twins.works('runJobSync', done)
    if (isSeen) {
      const spare = await fixture.submitted(held)
      await begun(spare)
      await untilFound(context, () => queue.status(spare.id))
      twins.works('cancelJob', await queue.cancel(spare.id))
      // One worker is enough for all of this.
      for (const key of ['read', 'go']) spare.beacon.release(key)
    }
    const job = await fixture.submitted(held)
    if (isSeen) {
      await begun(job)
      await untilFound(context, () => queue.status(job.id))
    }
    // The stream of a job that ended before it was read may be over.
    const doneId = done !== null && isSuccess(done.status) ? idOrNumberIn(done.json) : null
    const streamed = isSeen ? job.id : doneId
    const read = part('stream') && streamed !== null ? await queue.stream(streamed) : null
    if (read !== null) twins.works('streamJob', read)
    // The owner has not read the last part when the refused requests come.
    const isPartRead = isSeen && wanted.includes('streamJob') && shows(read, firstPart)
    if (isSeen) job.beacon.release('read')
    const emitted = () => clock.until(job.beacon.waiting('go'), clock.now() + target.tolerances.dispatchMs)
    const isHalfRead = isPartRead && (await emitted()) !== null
    const submissions = isSeen ? [1, 2, 3].map((output) => fixture.job({ input, steps: [{ output }] })) : []
    const [one, two, three] = submissions.map(({ body }) => body)
    const requests = await twins.requests<'queue'>(
      wanted.filter((operation) => operation !== 'retryJob' || hasFailed),
      {
        ids: { job: job.id, route: '/v1/chat/completions' },
        calls: {
          runJob: { body: one ?? { input } },
          runJobSync: { body: two ?? { input } },
          callOpenaiRoute: { body: three?.input ?? input },
          retryJob: { ids: { job: failing.id } },
          purgeQueue: { unpaced: true },
        },
        send: (operation, key, call) =>
          (operation === 'purgeQueue' ? queueAs(key).on('dedicated') : queueAs(key)).call(operation, call),
      },
    )
    const elsewhere = await atSecond(context, wanted, input)
    const judgesPurge = isSeen && judgesEffects && wanted.includes('purgeQueue')
    const full = judgesPurge ? await tryToFill(context, 'dedicated') : null
    if (judgesPurge && full === null) notJudged('purge', 'each job of the dedicated endpoint found a worker')
    const cancelWaiting = (full?.waiting ?? []).map(
      ({ id }): AuthRequest => ({
        operation: 'cancelJob',
        send: (key, options) =>
          queueAs(key)
            .on('dedicated')
            .call('cancelJob', { ...options, ids: { job: id } }),
      }),
    )
    const executions = () =>
      [...submissions, ...(hasFailed ? [failing] : [])].flatMap(({ beacon }) => beacon.executions()).length
    const executed = isSeen ? executions() : 0

    function expectAllWorked(): void {
      twins.expectAllWorked()
      if (failure !== null && !hasFailed) {
        const reason = `the failing job was ${failure.status} instead of FAILED, and only a failed job can be retried`
        blockedBy(context, 'queue.status.failed', reason, failure.response)
      }
    }

    return {
      requests: [...requests, ...ofEnded, ...elsewhere, ...(wanted.includes('cancelJob') ? cancelWaiting : [])],
      expectAllWorked,
      /** The job runs on to its end, and what was submitted or to be retried is not executed. */
      async expectNoEffect() {
        if (!part('worker') || !part('receiver')) return
        if (!isShown) return expectAllWorked()
        if (isHalfRead) {
          const look = () => queue.stream(job.id)
          const last = await poll(context, target.tolerances.visibleMs, look, (seen) => shows(seen, lastPart))
          check('unread').that(shows(last, lastPart), 'the part that the owner has not read', 'not that part', last)
          if (shows(last, firstPart)) notJudged('unread', 'the stream keeps its parts after a read')
        } else if (isSeen && read !== null && wanted.includes('streamJob')) {
          notJudged('unread', 'a part came too late to the stream')
        }
        job.beacon.release('go')
        const { response } = await expectEnd(context, 'unchanged', job, await ended(job), 'COMPLETED')
        full?.release()
        for (const one of full?.waiting ?? []) await expectEnd(context, 'unchanged', one, await ended(one), 'COMPLETED')
        await executeLaterJob(context)
        const expected = 'no execution of jobs whose submission or retry was refused'
        check('not-executed').that(executions() === executed, expected, 'an execution of one', response)
      },
      secrets: (status) => ({ [`status ${status} with the input of the job`]: secret }),
      async excuse(response) {
        const { operation, subject } = response.exchange
        const isTold = (textOf(response.bytes) ?? '').includes(secret)
        if (operation === 'getJobStatus' && !isTold) await blockedIfUnknownIsShown(context, subject ?? '', response)
      },
    }
  },
}

function shows(response: ApiResponse | null, part: string): boolean {
  return response !== null && (textOf(response.bytes) ?? '').includes(part)
}

/** A request to the second endpoint, if the owner's work there. */
async function atSecond(
  { notJudged, part, queue, queueAs, vary }: Context,
  wanted: readonly OperationId[],
  input: unknown,
): Promise<readonly AuthRequest[]> {
  const operations = (['getEndpointHealth', 'runJob'] as const).filter((one) => wanted.includes(one))
  const operation = vary.sample('at the second', operations, String)
  if (!part('endpoint.second') || operation === undefined) return []
  const { status } = await queue.on('second').health()
  if (status !== 200) {
    notJudged('the second endpoint', `its /health was answered ${status}`)
    return []
  }
  const call = operation === 'runJob' ? { body: { input } } : {}
  const send = (key: KeyName, options?: CallOptions) =>
    queueAs(key)
      .on('second')
      .call(operation, { ...options, ...call })
  return [{ operation, send }]
}
