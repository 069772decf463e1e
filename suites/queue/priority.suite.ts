import { tables } from '../../generated/tables.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import type { JobWish } from '../../harness/planes/queue/fixtures/types.ts'
import type { Beacon } from '../../harness/receiver/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import type { ValueOf } from '../../harness/variation/dimensions.ts'
import { fullEndpoint } from '../shared/full-endpoint.ts'
import { expectEnd } from '../shared/job-responses.ts'
import { reportOf } from '../shared/readers.ts'

/** How long a job of low priority is watched at first; a slower cold start needs another try, ms. */
const watchedMs = 20_000
/** How often: the cold start is known from the second time on. */
const watches = 3
/** Pauses before each try, ms: a worker that an earlier job brought leaves in its own time. */
const pauses = [0, 10_000, 60_000, 300_000]

const endpoint = 'scaleToZero'

rule(
  'queue.low-priority',
  { exclusive: [endpoint, 'twoWorkers'], varies: ['input', 'execution', 'submission'] },
  async (context) => {
    const { begun, clock, ended, fixture, inconclusive, part, vary } = context
    if (part('endpoint.two-workers')) await expectTakenByFree(context)
    const by = vary.draw('submission')
    let forMs = watchedMs
    for (let tries = 0; tries < watches; tries++) {
      const low = await waitingAlone(context, by, forMs)
      const submittedMs = clock.now()
      const normal = await fixture.submitted({ steps: [{ output: 'normal' }], endpoint })
      await begun(normal)
      const firstMs = Math.min(...[low, normal].map(({ beacon }) => beacon.executions()[0]?.at.target ?? clock.now()))
      await expectEnd(context, 'both', normal, await ended(normal), 'COMPLETED')
      await low.expectDone()
      const leastMs = 2 * (firstMs - submittedMs)
      if (forMs >= leastMs) return
      // The next cold start may take a little longer.
      forMs = Math.ceil(leastMs * 1.25)
    }
    inconclusive('a worker takes longer to start than a job of low priority was watched')
  },
)

/** Workers that become free take a job of low priority, though no other job comes. */
async function expectTakenByFree(context: Context): Promise<void> {
  const { role, release } = await fullEndpoint(context)
  const policy = { lowPriority: true }
  const low = await context.fixture.submitted({ steps: [{ output: 'low' }], endpoint: role, policy })
  release()
  await context.begun(low)
}

interface LowJob {
  readonly beacon: Beacon
  readonly sentMs: number
  /** The exchange that shows that it waits; null while /runsync does. */
  readonly response: ApiResponse | null
  /** Waits until it is over. */
  over(): Promise<unknown>
  /** Expects it to be COMPLETED; ends the rule as inconclusive if that of /runsync is not executed. */
  expectDone(): Promise<unknown>
}

/** A job of low priority by the operation that is drawn; by /run if the wait of /runsync may be over meanwhile. */
async function lowJob(context: Context, by: ValueOf<'submission'>, forMs: number): Promise<LowJob> {
  const { clock, ended, fixture, found, inconclusive, target, vary } = context
  const { coldStartMs, dispatchMs } = target.tolerances
  const wish = { steps: [{ output: 'low' }], endpoint, policy: { lowPriority: true } } satisfies JobWish
  const isLong = forMs > tables.durations.runsyncWaitMs / 2
  if (isLong) vary.fellBack('submission')
  if (isLong || by === 'run') {
    const job = await fixture.submitted(wish)
    return {
      beacon: job.beacon,
      sentMs: job.response.exchange.sent.target,
      response: await found(job),
      over: () => ended(job),
      expectDone: async () => expectEnd(context, 'both', job, await ended(job), 'COMPLETED'),
    }
  }
  const { beacon, body, queue } = fixture.job(wish)
  // The first response tells the time.
  await queue.health()
  const answer = queue.held.runsync(body)
  const boundMs = () => clock.now() + coldStartMs + dispatchMs
  return {
    beacon,
    sentMs: clock.now(),
    response: null,
    over: () => clock.until(answer, boundMs()),
    async expectDone() {
      const start = await clock.until(beacon.started(), boundMs())
      if (start === null) inconclusive('the job of /runsync was not executed, so it may not have waited')
      await clock.until(answer, boundMs())
    },
  }
}

/**
 * A job of low priority that no worker began with for so long. A worker of an earlier job may take it, at once or when it
 * looks again. One that begins later and has taken no job before was started for it. Two in a row are no accident.
 */
async function waitingAlone(context: Context, by: ValueOf<'submission'>, forMs: number): Promise<LowJob> {
  const { check, clock, inconclusive, target } = context
  const known = new Set<unknown>()
  let wasNewBefore = false
  for (const pauseMs of pauses) {
    await clock.sleep(pauseMs)
    const low = await lowJob(context, by, forMs)
    const { response, sentMs } = low
    const start = await clock.until(low.beacon.started(), sentMs + forMs)
    if (start === null) {
      if (response !== null) check('alone').saw(response)
      return low
    }
    await low.over()
    const isLate = start.at.target > sentMs + 2 * target.tolerances.dispatchMs
    const { worker } = reportOf(start)
    // The first may be the worker of another rule.
    const isNew = isLate && known.size > 0 && !known.has(worker)
    known.add(worker)
    check('alone').that(!(isNew && wasNewBefore), 'no worker for a job of low priority', 'a worker', response)
    wasNewBefore = isNew
  }
  return inconclusive('each job of low priority met the worker of an earlier job')
}
