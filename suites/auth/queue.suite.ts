import type { RuleId } from '../../generated/rules.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess, type QueueOperation, textOf } from '../../harness/exchange/exchange.ts'
import { jobIdIn } from '../../harness/exchange/read.ts'
import type { QueueCallOptions, QueueClient } from '../../harness/planes/queue/client.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule, type ScenarioOptions } from '../../harness/rule/registry.ts'
import { oneWorker } from '../shared/full-endpoint.ts'
import { blockedBy, blockedIfUnknownIsShown, expectEnd } from '../shared/job-responses.ts'
import { untilFound } from '../shared/poll.ts'
import { type Authorizations, isKnownKey, missing, neverIssued } from './authorizations.ts'

/** They purge the endpoint where a purge is not refused. */
const mayPurge = {
  exclusive: ['dedicated'],
  workers: oneWorker,
  varies: ['order', 'sample'],
} as const satisfies Partial<ScenarioOptions>

rule('auth.queue.missing', mayPurge, (context) => expectRefusedEverywhere(context, missing))

rule('auth.queue.invalid', mayPurge, (context) => expectRefusedEverywhere(context, neverIssued(context)))

rule('auth.queue.no-effect', mayPurge, async (context) => {
  const { requests, expectAllWorked, expectNoEffect } = await workingQueue(context)
  for (const [, authorization] of [...missing, ...neverIssued(context)]) {
    for (const send of requests) await send(context.queue, { authorization })
  }
  await expectNoEffect()
  expectAllWorked()
})

rule('auth.queue.hidden', mayPurge, async (context) => {
  const { queueAs, check, inconclusive } = context
  const stranger = queueAs('stranger')
  const { requests, secret, expectAllWorked } = await workingQueue(context)
  for (const send of requests) {
    const response = await send(stranger)
    if (response.status === 401 && !(await isKnownKey(context, 'stranger'))) {
      inconclusive('the stranger is answered 401 and nothing shows that its key is a valid one')
    }
    const { operation, subject } = response.exchange
    const isRevealed = (textOf(response.bytes) ?? '').includes(secret)
    if (operation === 'getJobStatus' && !isRevealed) await blockedIfUnknownIsShown(context, subject ?? '', response)
    check('refused').status(response, 403, 404)
    const observed = `status ${response.status} with the input of the job`
    check('not-told').that(!isRevealed, 'a refusal without the input of the job', observed, response)
  }
  expectAllWorked()
})

rule('auth.queue.hidden-no-effect', mayPurge, async (context) => {
  const stranger = context.queueAs('stranger')
  const { requests, expectAllWorked, expectNoEffect } = await workingQueue(context)
  for (const send of requests) await send(stranger)
  await expectNoEffect()
  expectAllWorked()
})

/** Every operation is answered 401 with another Authorization. Each has its clause. */
async function expectRefusedEverywhere(context: Context, others: Authorizations): Promise<void> {
  const { requests, expectAllWorked } = await workingQueue(context)
  for (const [clause, authorization] of others) {
    for (const send of requests) {
      context.check(clause).status(await send(context.queue, { authorization }), 401)
    }
  }
  expectAllWorked()
}

type SendToQueue = (client: QueueClient, options?: QueueCallOptions) => Promise<ApiResponse>

/** The rules about operations; the others have none. */
const ruleAbout: Readonly<Partial<Record<QueueOperation, RuleId>>> = {
  getJobStatus: 'queue.status.shape',
  cancelJob: 'queue.cancel.running',
  runJobSync: 'queue.runsync.completed',
}

/**
 * A valid request of each operation of the queue plane that the target offers, on a job that runs if the suite can see that.
 * Each main one is shown to work with the owner's key, so that a refusal is for the key alone; one that does not is left out.
 */
async function workingQueue(context: Context) {
  const { begun, check, clock, ended, fixture, inconclusive, rereadDelays, offers, part, queue, random, target } =
    context
  const secret = `plumbline-hidden-${Math.floor(random() * 2 ** 50).toString(36)}`
  const input = { secret }
  const idle = new Map<QueueOperation, ApiResponse>()
  const fails = { input, ...(part('worker') ? { steps: [{ fail: 'once more' }] } : {}) }
  let failing = await fixture.submitted(fails)
  works('getJobStatus', await untilFound(context, () => queue.status(failing.id)))
  // Without /status, nobody sees what a job does.
  const isSeen = offers('worker') && offers('receiver') && !idle.has('getJobStatus')
  const held = { input, ...(isSeen ? { steps: [{ hold: 'go' }, { output: 'done' }] } : {}) }
  // Only a job that failed is for /retry; any other would be refused to its owner too.
  let failure = part('worker') && !idle.has('getJobStatus') ? await ended(failing) : null
  if (failure !== null && failure.status !== 'FAILED') {
    // The requests of another rule may have kept that job from its end.
    failing = await fixture.submitted(fails)
    failure = await ended(failing)
  }
  const hasFailed = failure?.status === 'FAILED'
  const done = offers('worker') ? works('runJobSync', await queue.runsync({ input })) : null
  if (isSeen) {
    const spare = await fixture.submitted(held)
    await begun(spare)
    works('cancelJob', await queue.cancel(spare.id))
    // One worker is enough for all of this.
    spare.beacon.release('go')
  }
  const job = await fixture.submitted(held)
  works('getEndpointHealth', await queue.health())
  if (part('requests')) works('listRequests', await queue.requests())
  if (part('stream') && done !== null) works('streamJob', await queue.stream(done))
  if (isSeen) await begun(job)
  const submissions = isSeen ? [1, 2, 3].map((output) => fixture.job({ input, steps: [{ output }] })) : []
  const [one, two, three] = submissions.map(({ body }) => body)

  const requests = new Map<QueueOperation, SendToQueue>([
    ['getJobStatus', (client, options) => client.status(job.id, options)],
    ['getEndpointHealth', (client, options) => client.health(options)],
    ['runJob', (client, options) => client.run(one ?? { input }, options)],
    ['runJobSync', (client, options) => client.runsync(two ?? { input }, options)],
    ['cancelJob', (client, options) => client.cancel(job.id, options)],
  ])
  if (hasFailed) requests.set('retryJob', (client, options) => client.retry(failing.id, options))
  if (part('stream')) requests.set('streamJob', (client, options) => client.stream(job.id, options))
  if (part('requests')) requests.set('listRequests', (client, options) => client.requests(options))
  if (part('openai')) {
    const body = three?.input ?? input
    requests.set('callOpenaiRoute', (client, options) => client.openai('/v1/chat/completions', body, options))
  }
  if (part('endpoint.dedicated')) {
    requests.set('purgeQueue', (client, options) => client.on('dedicated').purge({ ...options, unpaced: true }))
  }
  for (const operation of idle.keys()) requests.delete(operation)
  const executed = isSeen ? executions() : 0

  /** Notes an operation that does not work; the id in the answer of one that does, if it has one. */
  function works(what: QueueOperation, response: ApiResponse): string | null {
    if (!isSuccess(response.status)) idle.set(what, response)
    return isSuccess(response.status) ? jobIdIn(response.json) : null
  }

  function executions(): number {
    const jobs = [...submissions, ...(hasFailed ? [failing] : [])]
    return jobs.reduce((count, { beacon }) => count + beacon.executions().length, 0)
  }

  /** Ends the rule if an operation was left out: as blocked by the rule about it, or as inconclusive. */
  function expectAllWorked(): void {
    for (const [what, response] of idle) {
      const reason = `${what} was answered ${response.status} with a full key, so a refusal does not show that the key is refused`
      const rule = ruleAbout[what]
      if (rule !== undefined) blockedBy(context, rule, reason, response)
      inconclusive(reason)
    }
    if (failure !== null && !hasFailed) {
      const reason = `the failing job was ${failure.status} instead of FAILED, and only a failed job can be retried`
      blockedBy(context, 'queue.status.failed', reason, failure.response)
    }
  }

  return {
    requests: context.vary.ordered([...requests.values()]),
    /** A text of the job's input that only its owner was told. */
    secret,
    expectAllWorked,
    /**
     * Nothing came of the requests: the job runs on to its end, and what was submitted or to be retried is not executed.
     * Needs worker and receiver.
     */
    async expectNoEffect() {
      if (idle.has('getJobStatus')) return expectAllWorked()
      job.beacon.release('go')
      const { response } = await expectEnd(context, 'unchanged', job, await ended(job), 'COMPLETED')
      const later = await fixture.submitted({ steps: [{ output: 'later' }] })
      await begun(later)
      await clock.sleep(target.tolerances.dispatchMs + (rereadDelays().at(-1) ?? 0))
      const expected = 'no execution of jobs whose submission or retry was refused'
      check('not-executed').that(executions() === executed, expected, 'an execution of one', response)
    },
  }
}
