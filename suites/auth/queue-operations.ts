import type { QueueCallOptions, QueueClient } from '../harness/client/queue.ts'
import type { Reply } from '../harness/client/reply.ts'
import type { Context } from '../harness/context.ts'
import type { QueueOperation } from '../harness/exchange.ts'
import { oneWorker } from '../queue/full.ts'

export type SendToQueue = (client: QueueClient, options?: QueueCallOptions) => Promise<Reply>

/** A whole, valid request of each operation of the queue plane that the target offers. */
export interface WorkingQueue {
  readonly requests: ReadonlyMap<QueueOperation, SendToQueue>
  /** A text of the job's input that only its owner was told. */
  readonly secret: string
  /** Ends the rule as inconclusive where an operation was left out. */
  allWork(): void
  /**
   * Nothing came of the requests: the job runs on to its end, and what was submitted is not executed. Needs worker and
   * receiver.
   */
  nothingDone(): Promise<void>
}

/**
 * The operations of the queue plane on a job that runs where the suite can see that, each main one shown to work with
 * the owner's key, so that a refusal is for the key alone. One that does not is left out.
 */
export async function workingQueue(context: Context): Promise<WorkingQueue> {
  const { begun, check, clock, ended, fixture, inconclusive, offers, queue, random, target } = context
  const isSeen = offers('worker') && offers('receiver')
  const secret = `plumbline-hidden-${Math.floor(random() * 2 ** 50).toString(36)}`
  const input = { secret }
  const held = { input, ...(isSeen ? { steps: [{ hold: 'go' }, { output: 'done' }] } : {}) }
  const idle = new Map<QueueOperation, number>()
  // Only a job that failed is for /retry; any other would be refused to its owner too.
  const failed = offers('worker')
    ? await ended(await fixture.submitted({ input, steps: [{ fail: 'once more' }] }))
    : null
  const failedId = failed?.status === 'FAILED' ? failed.job?.id : null
  if (isSeen) {
    const spare = await fixture.submitted(held)
    await begun(spare)
    works('cancelJob', await queue.cancel(spare.id))
    // One worker is enough for all of this.
    spare.beacon.release('go')
  }
  const job = await fixture.submitted(held)
  works('getJobStatus', await queue.status(job.id))
  works('getEndpointHealth', await queue.health())
  if (isSeen) await begun(job)
  const submissions = isSeen ? [1, 2].map((output) => fixture.job({ input, steps: [{ output }] })) : []
  const [one, two] = submissions.map(({ body }) => body)

  const requests = new Map<QueueOperation, SendToQueue>([
    ['getJobStatus', (client, options) => client.status(job.id, options)],
    ['getEndpointHealth', (client, options) => client.health(options)],
    ['runJob', (client, options) => client.run(one ?? { input }, options)],
    ['runJobSync', (client, options) => client.runsync(two ?? { input }, options)],
    ['cancelJob', (client, options) => client.cancel(job.id, options)],
  ])
  if (typeof failedId === 'string') requests.set('retryJob', (client, options) => client.retry(failedId, options))
  if (offers('stream')) requests.set('streamJob', (client, options) => client.stream(job.id, options))
  if (offers('requests')) requests.set('listRequests', (client, options) => client.requests(options))
  if (offers('openai')) {
    requests.set('callOpenaiRoute', (client, options) => client.openai('/v1/chat/completions', input, options))
  }
  if (offers('endpoint.dedicated')) {
    // A refused call is not a purge. If the target counts it as one, a 429 says how long to wait.
    requests.set('purgeQueue', (client, options) => client.on('dedicated').purge({ ...options, unpaced: true }))
  }

  for (const operation of idle.keys()) requests.delete(operation)

  function works(what: QueueOperation, { status }: Reply): void {
    if (status >= 300) idle.set(what, status)
  }

  function allWork(): void {
    for (const [what, status] of idle) {
      inconclusive(`${what} was answered ${status} with a full key, so a refusal tells nothing about the key`)
    }
  }

  return {
    requests,
    secret,
    allWork,
    async nothingDone() {
      job.beacon.release('go')
      const { status, reply, settled } = await ended(job)
      if (!settled) inconclusive('a job did not end in time')
      check('unchanged').that(
        status === 'COMPLETED',
        'a job that runs on to COMPLETED, its cancellation refused',
        `status ${status}`,
        reply,
      )
      const later = await fixture.submitted({ steps: [{ output: 'later' }] })
      await begun(later)
      await clock.sleep(target.tolerances.dispatchMs)
      const executed = submissions.reduce((count, { beacon }) => count + beacon.executions().length, 0)
      check('not-executed').that(
        executed === 0,
        'no execution of jobs whose submission was refused',
        'an execution of one',
        reply,
      )
    },
  }
}

/** They purge the endpoint where a purge is not refused. */
export const mayPurge = { uses: ['dedicated'], workers: oneWorker } as const
