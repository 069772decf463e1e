import { canonical, show } from '../harness/read.ts'
import { rule } from '../harness/registry.ts'
import { attempt, completed, countAttempts, mostAttempts, spacingMs } from './attempts.ts'

/** How long the receiver thinks before its first answer, ms; the time may count from the attempt or from its answer. */
const slowMs = 2_000

rule('webhook.spacing', async (context) => {
  const { fixture, target, check, inconclusive } = context
  const { webhookSpacingMs: toleranceMs } = target.tolerances
  const job = await fixture.submitted({ steps: [{ output: 1 }], webhook: [{ slowMs, status: 500 }, 500] })
  const { reply } = await completed(context, job)
  context.freeWorkers()
  const { sent, received } = reply.exchange
  const roundTripMs = received.target - sent.target
  let former = await attempt(context, job, 1)
  for (let n = 2; n <= mostAttempts; n++) {
    const next = await attempt(context, job, n)
    if (former === null || next === null) return inconclusive(`attempt ${n} did not come, which webhook.three judges`)
    const gapMs = next.at.target - former.at.target
    const leastMs = spacingMs - toleranceMs
    const mostMs = spacingMs + toleranceMs + (n === 2 ? slowMs : 0)
    const isNear = Math.min(Math.abs(gapMs - leastMs), Math.abs(gapMs - mostMs)) < roundTripMs
    if (isNear) inconclusive('the time between two attempts is nearer to its bound than a request takes')
    const observed = `${Math.round(gapMs / 1000)} s`
    check('not-sooner').that(gapMs >= leastMs, `${leastMs / 1000} s or more between two attempts`, observed, reply)
    check('not-later').that(gapMs <= mostMs, `${mostMs / 1000} s at most between two attempts`, observed, reply)
    former = next
  }
})

rule('webhook.no-effect-on-job', async (context) => {
  const { fixture, begun, clock, target, check } = context
  const steps = [{ output: { kept: [1] } }]
  const twin = await completed(context, await fixture.submitted({ steps }))
  const job = await fixture.submitted({ steps, webhook: [500, 'reset', 503] })
  await begun(job)
  await countAttempts(context, job, mostAttempts)
  await clock.sleep(target.tolerances.dispatchMs)
  const reply = await job.queue.status(job.id)
  check('status').status(reply, 200)
  const { status, output } = check('status').object(reply)
  check('status').that(status === 'COMPLETED', 'status "COMPLETED"', `status ${show(status)}`, reply)
  const isSame = canonical(output) === canonical(twin.job?.output)
  check('output').that(isSame, `output ${show(twin.job?.output)}`, `output ${show(output)}`, reply)
  const [first] = job.webhook.attempts()
  const more = job.beacon.executions().filter(({ n }) => n > (first?.n ?? 0)).length
  check('executions').that(more === 0, 'no execution after the first attempt', `${more} more`, reply)
})
