import type { Context } from '../harness/context.ts'
import { rule } from '../harness/registry.ts'
import { attempt, completed, countAttempts, mostAttempts, requests } from './attempts.ts'

/** How long a job runs while nothing may be notified, ms. */
const runningMs = 5_000

rule('webhook.once', async (context) => {
  const { fixture, begun, clock, check } = context
  const job = await fixture.submitted({ steps: [{ hold: 'go' }, { output: 1 }], webhook: true })
  await begun(job)
  const early = await clock.until(job.webhook.attempt(1), clock.now() + runningMs)
  check('not-before').that(early === null, 'no request while the job runs', 'a request', job.reply)
  job.beacon.release('go')
  const end = await completed(context, job)
  context.freeWorkers()
  const first = await attempt(context, job, 1)
  check('notified').that(first !== null, 'a request once the job is done', 'no request', end.reply)
  const second = await attempt(context, job, 2)
  check('once').that(second === null, 'no request after one that was answered 200', 'a second request', end.reply)
})

rule('webhook.retries', async (context) => {
  const { fixture, check } = context
  const job = await fixture.submitted({ steps: [{ output: 1 }], webhook: 500 })
  const { reply } = await completed(context, job)
  context.freeWorkers()
  const count = await countAttempts(context, job, mostAttempts + 1)
  check('second').that(count >= 2, 'a second request after one that was answered 500', requests(count), reply)
  check('no-fourth').that(count <= mostAttempts, `at most ${requests(mostAttempts)}`, requests(count), reply)
})

rule('webhook.three', async (context) => {
  const { fixture, check } = context
  const job = await fixture.submitted({ steps: [{ output: 1 }], webhook: 500 })
  const { reply } = await completed(context, job)
  context.freeWorkers()
  const count = await countAttempts(context, job, mostAttempts + 1)
  check('three').that(count === mostAttempts, requests(mostAttempts), requests(count), reply)
})

rule('webhook.stops-on-success', async (context) => {
  const { fixture, check } = context
  const steps = [{ output: 1 }]
  const second = await fixture.submitted({ steps, webhook: [500, 200] })
  const third = await fixture.submitted({ steps, webhook: [500, 500, 200] })
  const [ofSecond, ofThird] = [await completed(context, second), await completed(context, third)]
  context.freeWorkers()
  for (const [clause, job, { reply }, expected] of [
    ['two', second, ofSecond, 2],
    ['three', third, ofThird, 3],
  ] as const) {
    const count = await countAttempts(context, job, expected + 1)
    check(clause).that(count === expected, requests(expected), requests(count), reply)
  }
})

rule('webhook.only-200', (context) => expectRetriedAfter(context, [404, 429, 503]))

rule('webhook.only-200-strict', async (context) => {
  const { fixture, reading } = context
  // Nothing is at the root of the receiver, so one that follows is not answered 200 there.
  const redirected = await fixture.submitted({ steps: [{ output: 1 }], webhook: [{ redirect: '/' }, 200] })
  await completed(context, redirected)
  await expectRetriedAfter(context, [201, 204])
  reading('302', requests(await countAttempts(context, redirected, 2)))
})

/** An attempt that is answered with each of these is followed by a second one. */
async function expectRetriedAfter(context: Context, statuses: readonly number[]): Promise<void> {
  const { fixture, check } = context
  const jobs = []
  for (const status of statuses) {
    jobs.push({ status, job: await fixture.submitted({ steps: [{ output: 1 }], webhook: [status, 200] }) })
  }
  const ends = []
  for (const { status, job } of jobs) ends.push({ status, job, reply: (await completed(context, job)).reply })
  context.freeWorkers()
  for (const { status, job, reply } of ends) {
    const count = await countAttempts(context, job, 2)
    check(`retried-${status}`).that(count === 2, `a second request after a ${status}`, requests(count), reply)
  }
}
