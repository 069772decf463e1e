import { isSuccess, jsonOf, textOf } from '../../harness/exchange/exchange.ts'
import { canonical, idOrNumberIn } from '../../harness/exchange/read.ts'
import type { SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import type { Arrival, WebhookAnswer } from '../../harness/receiver/types.ts'
import { keyRedactorOf } from '../../harness/record/describe.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule, type ScenarioOptions } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import {
  countAttempts,
  delayOf,
  expectOne,
  maxAttempts,
  requests,
  seconds,
  spacingMs,
  submittedTo,
  waitForAttempt,
} from '../shared/attempts.ts'
import { attemptText, bucketOf, isInAttempt } from '../shared/bucket.ts'
import { leavesOf } from '../shared/health.ts'

/** Jobs of these rules are done at once, so they keep no worker; the attempts take the time. */
const notified = { varies: [...anyJob, 'submission'], workers: 0 } as const satisfies Partial<ScenarioOptions>

const steps = [{ output: 1 }]
/** A text of an output that occurs nowhere else in a notification. */
const mark = 'the output of this job'
/** Tokens of receivers are commonly in a query; one that is decoded, sorted or encoded anew is another. Short, as URLs may have to be. */
const query = '?b=%2F+c&a=&b=2'
/** Some services cut a URL at 255 or 1000 characters. */
const longQuery = `?token=${'7f3a'.repeat(300)}`

/** How long an attempt may take that is never answered, ms: proxies give up after 30 to 60 s. */
const silentMs = 60_000
/** How late a slow receiver answers, ms; many platforms wait longer. */
const slowMs = 20_000

/** Jobs whose receivers fail at the same time. */
const manyFailing = 50

rule('webhook.prompt', notified, async (context) => {
  const { clock, fixture } = context
  const jobs: SubmittedJob[] = []
  // A queue that is looked at every few seconds meets each job at another moment.
  for (const pauseMs of [0, 1_000, 3_000]) {
    await clock.sleep(pauseMs)
    jobs.push(await fixture.sent({ steps, webhook: true }))
  }
  for (const job of jobs) await expectPrompt(context, 'prompt', job)
})

rule('webhook.no-answer', notified, async (context) => {
  const { check, fixture } = context
  const always = await fixture.sent({ steps, webhook: 'reset' })
  const once = await fixture.sent({ steps, webhook: ['reset', 200] })
  const count = await countAttempts(context, 'second', always, maxAttempts + 1)
  if (count < 2) await expectRetries(context)
  check('second').that(count >= 2, 'a second request after a connection was reset', requests(count), always.response)
  check('no-fourth').that(count <= maxAttempts, `at most ${requests(maxAttempts)}`, requests(count), always.response)
  const two = await countAttempts(context, 'no-third', once, 3)
  check('no-third').that(two <= 2, 'no request after one that was answered 200', requests(two), once.response)
})

rule('webhook.silent', notified, async (context) => {
  const { check, clock, fixture, reading, target } = context
  const silent = await fixture.sent({ steps, webhook: ['silence', 500] })
  const slow = await fixture.sent({ steps, webhook: [{ slowMs, status: 200 }, 200] })
  const first = await waitForAttempt(context, silent, 1)
  if (first === null) return expectOne(context, 'second', silent)
  const deadline = first.at.target + silentMs + spacingMs + target.tolerances.webhookSpacingMs
  const second = await clock.until(silent.webhook.attempt(2), deadline)
  if (second === null) await expectRetries(context)
  const expected = `a second request within ${seconds(deadline - first.at.target)}`
  check('second').that(second !== null, expected, 'no second request', silent.response)
  const count = await countAttempts(context, 'no-fourth', silent, maxAttempts + 1)
  check('no-fourth').that(count <= maxAttempts, `at most ${requests(maxAttempts)}`, requests(count), silent.response)
  reading('200 after 20 s', requests(slow.webhook.attempts().length))
})

rule('webhook.same-job', notified, async (context) => {
  const { check, fixture, inconclusive, notJudged } = context
  const job = await fixture.sent({ steps: [{ output: { mark } }], webhook: [500, 'reset', 200] })
  const queried = await submittedTo(context, 'query', (url) => `${url}${query}`, [500, 200])
  const long = await submittedTo(context, 'long-query', (url) => `${url}${longQuery}`, [500, 200])
  const id = idOrNumberIn(job.response.json) ?? job.id
  await countAttempts(context, 'names-job', job, maxAttempts)
  const [first, ...later] = job.webhook.attempts()
  if (first === undefined || later.length === 0) return inconclusive('there is no second attempt to compare')
  check('names-job').that(attemptText(first).includes(id), 'the id of the job', 'no id of it', job.response)
  for (const attempt of later) {
    const isSame = hasContentOf(first, attempt, [id, 'COMPLETED', mark])
    check('same').that(isSame, 'the content of the first attempt', 'another content', job.response)
  }
  if (queried === null) return check('query').that(false, 'a URL with a query is accepted', 'a refusal', job.response)
  await expectQuery(context, 'query', queried, query)
  if (long === null) return notJudged('long-query', 'a URL of more than 1200 characters is refused')
  await expectQuery(context, 'long-query', long, longQuery)
})

/** A query in a message. */
function textOfQuery(query: string): string {
  return query.length > 50 ? `a query of ${query.length} characters` : `the query ${query}`
}

/** Every attempt for a job is made to its URL with the whole query. */
async function expectQuery(context: Context, clause: string, job: SubmittedJob, expected: string): Promise<void> {
  await countAttempts(context, clause, job, 2)
  for (const { request } of job.webhook.attempts()) {
    const observed = /\?.*/.exec(request.url)?.[0] ?? ''
    context.check(clause).that(observed === expected, textOfQuery(expected), textOfQuery(observed), job.response)
  }
}

rule('webhook.independent', { varies: anyJob }, async (context) => {
  const { fixture, inconclusive, queue } = context
  const twin = await fixture.submitted({ steps, webhook: true })
  if (!isInTime(context, await delayOf(context, 'prompt', twin)))
    context.blocked('webhook.prompt', 'a notification came late before any receiver failed')
  const answers: readonly WebhookAnswer[] = [500, 'silence', 'reset', { slowMs, status: 500 }]
  const failing = Array.from({ length: manyFailing }, (_, n) => fixture.job({ steps, webhook: answers[n % 4] ?? 500 }))
  const responses = await Promise.all(failing.map(({ body }) => queue.run(body)))
  if (!responses.every(({ status }) => isSuccess(status))) inconclusive('a submission of fifty at once was refused')
  for (const _ of [1, 2, 3]) await expectPrompt(context, 'prompt', await fixture.submitted({ steps, webhook: true }))
  const isAsked = failing.some(({ webhook }) => webhook.attempts().length > 0)
  if (!isAsked) inconclusive('no receiver that fails was asked meanwhile')
})

rule('webhook.no-token', notified, async (context) => {
  const { check, fixture, target } = context
  const { bucket, secret } = bucketOf(context)
  const job = await fixture.sent({ steps, webhook: [500, 200], s3Config: bucket })
  await countAttempts(context, 'no-key', job, 2)
  for (const attempt of job.webhook.attempts()) {
    const hasKey = isInAttempt(keyRedactorOf(target), attempt)
    check('no-key').that(!hasKey, 'a notification without an API key', 'an API key', job.response)
    const hasSecret = isInAttempt(secret, attempt)
    check('no-secret').that(!hasSecret, 'a notification without accessSecret', 'accessSecret', job.response)
  }
})

/** The first notification of a job comes soon after its worker is done. */
async function expectPrompt(context: Context, clause: string, job: SubmittedJob): Promise<void> {
  const ms = await delayOf(context, clause, job)
  const expected = `a request at most ${seconds(latestMs(context))} after the worker is done`
  context.check(clause).that(isInTime(context, ms), expected, seconds(ms), job.response)
}

function isInTime(context: Context, ms: number): boolean {
  return ms <= latestMs(context)
}

/** The platform processes a result after its worker is done, and notifies then. */
function latestMs({ target: { tolerances } }: Context): number {
  return tolerances.dispatchMs + tolerances.webhookMs
}

/** Ends the rule if no attempt follows one that was answered 500 either, which webhook.retries judges. */
async function expectRetries(context: Context): Promise<void> {
  const twin = await context.fixture.plain({ steps, webhook: [500, 200] })
  if ((await countAttempts(context, 'second', twin, 2)) < 2)
    context.inconclusive('no attempt is repeated, even after a 500')
}

/**
 * True if an attempt has the method and every member of the first one. The values with texts of the job are equal; others
 * may count or date the attempt.
 */
function hasContentOf({ request: first }: Arrival, { request: later }: Arrival, ofJob: readonly string[]): boolean {
  const [was, is] = [first, later].map(({ body }) => body ?? new Uint8Array()) as [Uint8Array, Uint8Array]
  const leaves = leavesOf('', jsonOf(was))
  const shown = new Map(leavesOf('', jsonOf(is)))
  const isKept = leaves.every(([place, value]) => {
    const isOfJob = ofJob.some((text) => canonical(value).includes(text))
    return shown.has(place) && (!isOfJob || canonical(value) === canonical(shown.get(place)))
  })
  const isJson = jsonOf(was) !== undefined
  return first.method === later.method && (isJson ? isKept : textOf(was, 'kept') === textOf(is, 'kept'))
}
