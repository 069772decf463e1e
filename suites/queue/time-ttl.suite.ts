import type { Context } from '../harness/context.ts'
import type { SubmittedJob } from '../harness/fixtures/types.ts'
import { rule } from '../harness/registry.ts'
import type { EndpointRole } from '../harness/target/types.ts'
import {
  afterEnd,
  beforeEnd,
  busyWorkers,
  freed,
  leadMs,
  lives,
  quietMs,
  rouse,
  statusIn,
  tries,
  waiting,
  waitingMs,
} from './times.ts'

rule(
  'queue.ttl.queued',
  async (context) => {
    const { begun, ended, clock, target, check, inconclusive } = context
    const ttlMs = waitingMs
    for (const _ of tries) {
      const job = await waiting(context, { steps: [{ output: 1 }], policy: { ttl: ttlMs } })
      const reply = await afterEnd(context, job, ttlMs)
      if (job.beacon.executions().length > 0) continue
      check('gone').status(reply, 404)
      const later = await rouse(context)
      await begun(later)
      await ended(later)
      await clock.sleep(2 * target.tolerances.dispatchMs)
      const isExecuted = job.beacon.executions().length > 0
      check('never-executed').that(!isExecuted, 'no execution after the ttl', 'an execution', reply)
      return
    }
    inconclusive('each job was executed before its ttl was over')
  },
  { rouses: ['scaleToZero'] },
)

rule('queue.ttl.running', async (context) => {
  const { jobs, ttlMs } = await running(context, 'normal', 1)
  for (const job of jobs) context.check('gone').status(await afterEnd(context, job, ttlMs), 404)
})

rule(
  'queue.ttl.frees-worker',
  async (context) => {
    const { jobs, ttlMs } = await running(context, 'twoWorkers', busyWorkers)
    const endsMs = jobs.map(({ reply }) => reply.exchange.sent.target + ttlMs)
    await freed(context, Math.min(...endsMs) - leadMs, Math.max(...endsMs))
  },
  { uses: ['twoWorkers'] },
)

rule('queue.ttl.completed', async (context) => {
  const { fixture, follow, check, inconclusive } = context
  for (const ttlMs of lives) {
    const job = await fixture.submitted({ steps: [{ output: 1 }], policy: { ttl: ttlMs } })
    const end = await follow(job, (status) => status === 'COMPLETED', ttlMs - leadMs)
    if (!end.settled) continue
    context.freeWorkers()
    check('gone').status(await afterEnd(context, job, ttlMs), 404)
    return
  }
  inconclusive('no job was COMPLETED within its ttl')
})

rule('queue.ttl.not-early', async (context) => {
  const ttlMs = 20_000
  const job = await context.fixture.submitted({ steps: [{ output: 1 }], policy: { ttl: ttlMs } })
  const end = await context.follow(job, (status) => status === 'COMPLETED', ttlMs / 2)
  if (end.settled) context.freeWorkers()
  context.check('there').status(await beforeEnd(context, job, ttlMs), 200)
})

rule('queue.ttl.not-early-running', async (context) => {
  const { jobs, ttlMs } = await running(context, 'normal', 1)
  for (const job of jobs) context.check('there').status(await beforeEnd(context, job, ttlMs), 200)
})

rule(
  'queue.ttl.from-submission',
  async (context) => {
    const { clock, follow, check, inconclusive } = context
    // Longer than an end may be late, so that a ttl which counts from the execution shows itself.
    const waitMs = quietMs(context)
    for (const workMs of [17_000, 120_000, 600_000]) {
      const ttlMs = waitMs + workMs
      const job = await waiting(context, { steps: [{ output: 1 }], policy: { ttl: ttlMs } })
      const submittedMs = job.reply.exchange.received.target
      await clock.at(submittedMs + waitMs)
      if (statusIn(await job.queue.status(job.id)) !== 'IN_QUEUE') continue
      await rouse(context)
      const leftMs = submittedMs + ttlMs - leadMs - clock.now()
      const end = await follow(job, (status) => status === 'COMPLETED', leftMs)
      if (!end.settled) continue
      check('gone').status(await afterEnd(context, job, ttlMs), 404)
      return
    }
    inconclusive('no job that had waited was COMPLETED within its ttl')
  },
  { rouses: ['scaleToZero'] },
)

/** Jobs that run until nobody wants them any more, begun well within their ttl. */
async function running(
  { fixture, clock, inconclusive }: Context,
  endpoint: EndpointRole,
  count: number,
): Promise<{ jobs: SubmittedJob[]; ttlMs: number }> {
  for (const ttlMs of lives) {
    const jobs: SubmittedJob[] = []
    for (let n = 0; n < count; n++) {
      jobs.push(await fixture.submitted({ steps: [{ hold: 'never' }], policy: { ttl: ttlMs }, endpoint }))
    }
    let begun = 0
    for (const { beacon, reply } of jobs) {
      const deadline = reply.exchange.sent.target + ttlMs - leadMs
      if ((await clock.until(beacon.started(), deadline)) !== null) begun++
    }
    if (begun === count) return { jobs, ttlMs }
    for (const { beacon } of jobs) beacon.release('never')
  }
  return inconclusive('no worker began with a job within its ttl')
}
