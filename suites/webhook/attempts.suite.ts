import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { anyNotified, attempt, countAttempts, expectOne, mostAttempts, requests } from './attempts.ts'

/** How long a job runs while nothing may be notified, ms. */
const runningMs = 5_000

const steps = [{ output: 1 }]

rule('webhook.once', { varies: anyJob }, async (context) => {
  const { fixture, begun, clock, check, inconclusive } = context
  const job = await fixture.submitted({ steps: [{ hold: 'go' }, { output: 1 }], webhook: true })
  await begun(job)
  const early = await clock.until(job.webhook.attempt(1), clock.now() + runningMs)
  check('not-before').that(early === null, 'no request while the job runs', 'a request', job.reply)
  job.beacon.release('go')
  const first = await attempt(context, job, 1)
  if (first === null) return expectOne(context, 'notified', job)
  const [end] = job.beacon.ends()
  if (end === undefined) return inconclusive('a worker did not tell that it was done')
  context.freeWorkers()
  check('not-before').that(end.n < first.n, 'no request before the worker is done', 'a request', job.reply)
  check('notified').saw(job.reply)
  const count = await countAttempts(context, 'once', job, 2)
  check('once').that(count === 1, 'no request after one that was answered 200', 'a second request', job.reply)
})

rule('webhook.retries', anyNotified, async (context) => {
  const { fixture, check } = context
  const job = await fixture.sent({ steps, webhook: 500 })
  const count = await countAttempts(context, 'second', job, mostAttempts + 1)
  check('second').that(count >= 2, 'a second request after one that was answered 500', requests(count), job.reply)
  check('no-fourth').that(count <= mostAttempts, `at most ${requests(mostAttempts)}`, requests(count), job.reply)
})

rule('webhook.three', anyNotified, async (context) => {
  const { fixture, check } = context
  const job = await fixture.sent({ steps, webhook: 500 })
  const count = await countAttempts(context, 'three', job, mostAttempts + 1)
  check('three').that(count === mostAttempts, requests(mostAttempts), requests(count), job.reply)
})

rule('webhook.stops-on-success', anyNotified, async (context) => {
  const { fixture, check } = context
  const second = await fixture.sent({ steps, webhook: [500, 200] })
  const third = await fixture.sent({ steps, webhook: [500, 500, 200] })
  for (const [clause, job, expected] of [
    ['two', second, 2],
    ['three', third, 3],
  ] as const) {
    const count = await countAttempts(context, clause, job, expected + 1)
    check(clause).that(count === expected, requests(expected), requests(count), job.reply)
  }
})

rule('webhook.only-200', anyNotified, (context) => expectRetriedAfter(context, [404, 429, 503]))

rule('webhook.only-200-strict', anyNotified, async (context) => {
  const { fixture, reading } = context
  // Nothing is at the root of the receiver, so one that follows is not answered 200 there.
  const redirected = await fixture.sent({ steps, webhook: [{ redirect: '/' }, 200] })
  await expectRetriedAfter(context, [201, 204])
  reading('302', requests(await countAttempts(context, 'retried-201', redirected, 2)))
})

/** An attempt that is answered with each of these is followed by a second one. */
async function expectRetriedAfter(context: Context, statuses: readonly number[]): Promise<void> {
  const { fixture, check } = context
  const jobs = []
  for (const status of statuses) jobs.push({ status, job: await fixture.sent({ steps, webhook: [status, 200] }) })
  for (const { status, job } of jobs) {
    const count = await countAttempts(context, `retried-${status}`, job, 2)
    check(`retried-${status}`).that(count === 2, `a second request after a ${status}`, requests(count), job.reply)
  }
}
