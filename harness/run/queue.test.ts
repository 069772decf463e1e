import { describe, expect, test } from 'vitest'
import type { Variant } from '../../proof/types.ts'
import { composeOptions } from '../../reference/index.ts'
import type { Context } from '../rule/context.ts'
import { runOnRig, type TestScenario } from '../testing/rig.ts'

/** A job that is held, and ends where it is let go. */
async function held({ fixture, clock, begun, ended, check }: Context): Promise<void> {
  const job = await fixture.submitted({ steps: [{ hold: 'go' }, { output: 7 }] })
  const start = await begun(job)
  await clock.sleep(3_000)
  const during = await job.queue.status(job.id)
  check('in-progress').that(
    (during.json as { status: string }).status === 'IN_PROGRESS',
    'IN_PROGRESS',
    JSON.stringify(during.json),
    during,
  )
  const { length } = job.beacon.executions()
  check('one').that(length === 1 && start.nth === 1, 'one start', `${length}`, during)
  job.beacon.release('go')
  const end = await ended(job)
  check('ended').that(end.status === 'COMPLETED', 'COMPLETED', end.status, end.response)
  check('output').that(end.job?.output === 7, '7', JSON.stringify(end.job?.output), end.response)
}

/** Three attempts of a notification, ten seconds apart. */
async function notified({ fixture, clock, reading, check }: Context): Promise<void> {
  const job = await fixture.submitted({ steps: [{ output: 'done' }], webhook: [500, 'reset', 200] })
  const deadline = clock.now() + 60_000
  const moments: number[] = []
  for (const n of [1, 2, 3]) {
    const attempt = await clock.until(job.webhook.attempt(n), deadline)
    check('attempts').that(attempt !== null, `attempt ${n}`, 'none', job.response)
    moments.push(attempt?.at.target ?? 0)
  }
  const gaps = moments.slice(1).map((at, n) => at - (moments[n] ?? 0))
  reading('gaps', gaps.join())
  check('no-more').that(
    (await clock.until(job.webhook.attempt(4), deadline)) === null,
    'no fourth',
    'a fourth',
    job.response,
  )
  check('attempts').that(job.webhook.attempts().length === 3, '3', `${job.webhook.attempts().length}`, job.response)
  check('status').status(await job.queue.status(job.id), 200)
}

/** A /runsync that is held while other things go on. */
async function sync({ fixture, queue, clock, begun, check }: Context): Promise<void> {
  const job = fixture.job({ steps: [{ hold: 'go' }, { output: { a: [1] } }] })
  const answer = queue.held.runsync(job.body)
  await begun(job)
  check('waits').that((await clock.until(answer, clock.now() + 5_000)) === null, 'no response', 'a response', null)
  job.beacon.release('go')
  const response = await clock.until(answer, clock.now() + 5_000)
  check('answers').that(response !== null, 'a response', 'none', null)
  if (response !== null) check('answers').status(response, 200)
  const plain = await queue.runsync({ input: { plain: true } })
  check('plain').that((plain.json as { status: string }).status === 'COMPLETED', 'COMPLETED', '', plain)
}

/** The time between attempts if the receiver never answers. */
async function silent({ fixture, clock, reading, check }: Context): Promise<void> {
  const job = await fixture.submitted({
    steps: [{ output: 1 }],
    webhook: ['silence', { slowMs: 2_000, status: 500 }, 200],
  })
  const deadline = clock.now() + 120_000
  const moments: number[] = []
  for (const n of [1, 2, 3]) moments.push((await clock.until(job.webhook.attempt(n), deadline))?.at.target ?? 0)
  reading('gaps', moments.map((at) => at - (moments[0] ?? 0)).join())
  check('seen').status(await job.queue.status(job.id), 200)
}

/** A job on an endpoint without workers, and one whose time is over while it waits. */
async function times({ queue, fixture, follow, clock, reading, check }: Context): Promise<void> {
  const zero = await fixture.submitted({ steps: [{ output: 1 }], endpoint: 'scaleToZero' })
  const before = clock.now()
  const start = await clock.until(zero.beacon.started(), before + 60_000)
  reading('cold-start', String((start?.at.target ?? 0) - before))
  const blocker = await fixture.submitted({ steps: [{ hold: 'x' }], endpoint: 'second' })
  await clock.until(blocker.beacon.started(), clock.now() + 60_000)
  const waiting = await fixture.submitted({ steps: [{ output: 1 }], endpoint: 'second', policy: { ttl: 10_000 } })
  const gone = await follow(waiting, (status) => status === 'gone', 20_000)
  reading('gone-after', String(Math.ceil((clock.now() - gone.response.exchange.sent.target) / 1000)))
  check('gone').that(gone.settled, 'gone', gone.status, gone.response)
  check('never').that(waiting.beacon.executions().length === 0, 'no start', 'a start', gone.response)
  check('health').status(await queue.on('dedicated').health(), 200)
}

/** A job that is followed; its branches are concurrent, two of them at the same moments. */
async function followed({ fixture, ended, clock, check }: Context, ms: unknown): Promise<void> {
  const job = await fixture.submitted({ steps: [{ hold: 'go' }, { output: ms }] })
  await clock.sleep(Number(ms))
  job.beacon.release('go')
  const { status, response } = await ended(job)
  check('ended').that(status === 'COMPLETED', 'COMPLETED', status, response)
}

const scenarios: Readonly<Record<string, TestScenario>> = {
  held: { run: held },
  notified: { run: notified },
  sync: { run: sync },
  followed: { run: followed, each: () => [2_000, 1_000, 2_000] },
  silent: { run: silent },
  times: { run: times, exclusive: ['second', 'scaleToZero'] },
}

describe.each(['process', 'http'] as const)('the queue plane over %s', (over) => {
  test('is judged, and the record is judged the same', async () => {
    const { judgements, judged, replayed } = await runOnRig(scenarios, { over })
    const told = [...judgements].map(([name, { verdict, reason, findings, readings }]) => [
      name,
      { verdict, reason, findings, readings },
    ])
    const passed = { verdict: 'passed', reason: null, findings: [], readings: {} }
    expect(Object.fromEntries(told)).toEqual({
      held: passed,
      notified: { ...passed, readings: { gaps: '10000,10000' } },
      followed: passed,
      sync: passed,
      silent: { ...passed, readings: { gaps: '0,30000,40000' } },
      times: { ...passed, readings: { 'cold-start': '5000', 'gone-after': expect.any(String) } },
    })
    expect(replayed).toEqual(judged)
  })
})

describe('time is moved at rest alone', () => {
  test.each([
    ['process', 20],
    ['http', 4],
  ] as const)('over %s, %i times', { timeout: 120_000 }, async (over, times) => {
    const seen = new Set<string>()
    for (let seed = 1; seed <= times; seed++) {
      const { judgements, judged, replayed } = await runOnRig(crowd(), { over, seed })
      expect(replayed).toEqual(judged)
      seen.add(
        JSON.stringify(
          [...judgements.values()]
            .map(({ rule, verdict, reason, readings }) => [rule, verdict, reason, readings])
            .sort(),
        ),
      )
    }
    expect([...seen]).toHaveLength(1)
    expect([...seen][0]).not.toMatch(/inconclusive|failed|broken|blocked/)
  })

  test('answers that take controlled time do not hold a run up', async () => {
    const slow: Variant = {
      id: 'slow-answers',
      says: 'Each response takes a tenth of a second.',
      change: (options) => composeOptions(options, { life: { answerDelayMs: 100 } }),
    }
    const { judgements, judged, replayed } = await runOnRig({ held: { run: held } }, { variants: [slow] })
    expect(judgements.get('held')).toMatchObject({ verdict: 'passed' })
    expect(replayed).toEqual(judged)
  })

  test('a response that never comes ends the rule and not the run', async () => {
    const { judgements } = await runOnRig(
      {
        never: {
          async run({ fixture, queue }) {
            await queue.openai('/v1/x', fixture.job({ steps: [{ hold: 'never' }] }).body, { answerMs: 5 })
          },
        },
        deaf: { run: async ({ queue }) => void (await queue.health()) },
      },
      {
        variants: [
          {
            id: 'deaf',
            says: 'never answers',
            wrap: (fetch) => (request) => (request.url.endsWith('/health') ? new Promise(() => {}) : fetch(request)),
          },
        ],
      },
    )
    expect(judgements.get('deaf')).toMatchObject({
      verdict: 'inconclusive',
      reason: 'no complete response: the target has not answered, and nothing is due on its clock',
    })
  })
})

test('a purge is sent to the dedicated endpoint alone, whatever it is called', async () => {
  const { judgements, events } = await runOnRig({
    normal: { run: async ({ queue }) => void (await queue.purge()) },
    nowhere: { run: async ({ queue }) => void (await queue.at('nowhere').purge()) },
    route: { run: async ({ queue }) => void (await queue.at('nowhere').other('POST', '/purge-queue')) },
  })
  for (const { verdict, reason } of judgements.values()) {
    expect({ verdict, reason }).toEqual({ verdict: 'broken', reason: expect.stringContaining('a purge is sent') })
  }
  expect(events.filter(({ type }) => type === 'exchange')).toEqual([])
})

test('what is left of a rule is cancelled, and lets the workers go', async () => {
  const { events, resources } = await runOnRig({
    leaves: {
      async run({ fixture, begun, inconclusive }) {
        await begun(await fixture.submitted({ steps: [{ hold: 'for-ever' }] }))
        inconclusive('for a test')
      },
    },
  })
  const cancelled = events.filter((event) => event.type === 'exchange' && event.operation === 'cancelJob')
  expect(cancelled).toMatchObject([{ owner: 'cleanup:leaves', response: { status: 200 } }])
  expect(resources).toMatchObject([
    { kind: 'job', endpoint: 'normal', name: 'leaves 1', id: null, state: 'requested' },
    { kind: 'job', state: 'created' },
    { kind: 'job', state: 'removed' },
  ])
})

test('by when a job is gone is written down before it is submitted', async () => {
  const ttls = [20_000, undefined, 604_800_001, 'soon']
  const { resources } = await runOnRig({
    submits: {
      async run({ queue }) {
        for (const ttl of ttls) await queue.run({ input: {}, ...(ttl === undefined ? {} : { policy: { ttl } }) })
      },
    },
  })
  const ends = resources.flatMap((line) =>
    line.kind === 'job' && line.state === 'requested' ? [line.endsMs ?? 0] : [],
  )
  const week = 7 * 24 * 3_600_000
  expect(ends.map((ms) => ms - (ends[0] ?? 0) + 20_000)).toEqual([20_000, 24 * 3_600_000, week, week])
})

test('what is not cancelled is not taken for removed', async () => {
  const refused = new Response('{"error":"internal"}', { status: 500 })
  const { resources } = await runOnRig(
    {
      leaves: {
        async run({ queueAs, fixture, begun, check }) {
          const job = await fixture.submitted({ steps: [{ sleepMs: 500_000 }] })
          await begun(job)
          // A stranger is told that there is no such job, which says nothing of it.
          check('hidden').status(await queueAs('stranger').status(job.id), 404)
        },
      },
    },
    {
      variants: [
        {
          id: 'cancel-fails',
          says: 'Cancelling is answered 500.',
          wrap: (fetch) => async (request) => (request.url.includes('/cancel/') ? refused.clone() : fetch(request)),
        },
      ],
    },
  )
  expect(resources).toMatchObject([{ state: 'requested' }, { state: 'created' }])
})

test('a rule that leaves more jobs than may be cancelled at once holds nobody up', async () => {
  const { judgements, resources } = await runOnRig({
    leaves: {
      async run({ fixture, check }) {
        const jobs = await Promise.all(Array.from({ length: 100 }, () => fixture.submitted({ steps: [{ hold: 'x' }] })))
        for (const { response } of jobs) check('accepted').status(response, 200)
      },
    },
    waits: {
      async run({ queue, clock, check }) {
        check('before').status(await queue.health(), 200)
        await clock.sleep(60_000)
        check('after').status(await queue.health(), 200)
      },
    },
  })
  expect([...judgements.values()].map(({ verdict }) => verdict)).toEqual(['passed', 'passed'])
  expect(resources.filter((line) => line.kind === 'job' && line.state === 'removed')).toHaveLength(100)
})

test('however many requests are sent at once, none meets a 429', async () => {
  const { events } = await runOnRig({
    purges: {
      async run({ queue, check }) {
        const responses = await Promise.all(Array.from({ length: 12 }, () => queue.on('dedicated').purge()))
        for (const response of responses) check('purged').status(response, 200)
      },
    },
  })
  const purges = events.filter((event) => event.type === 'exchange' && event.operation === 'purgeQueue')
  expect(purges.map((event) => 'response' in event && event.response?.status)).toEqual(Array(12).fill(200))
})

/** Many rules at once whose jobs hold, end, fail and notify at the same and at other moments. */
function crowd(): Readonly<Record<string, TestScenario>> {
  const names = Array.from({ length: 12 }, (_, n) => `crowd-${String(n).padStart(2, '0')}`)
  return Object.fromEntries(
    names.map((name, n) => [
      name,
      {
        workers: 1,
        async run({ fixture, clock, begun, ended, reading, check }) {
          const job = await fixture.submitted({
            steps: [{ hold: 'a' }, { hold: 'b' }, n % 3 === 0 ? { fail: 'no' } : { output: n }],
            webhook: n % 2 === 0 ? [500, { slowMs: 1_000 * n, status: 200 }] : ['reset', 200],
          })
          const start = await begun(job)
          const from = start.at.target
          await clock.sleep(1_000 + n)
          job.beacon.release('a')
          const waits = await clock.until(job.beacon.waiting('b'), clock.now() + 10_000)
          reading('b', String((waits?.at.target ?? 0) - from))
          await clock.sleep(500)
          job.beacon.release('b')
          const end = await ended(job)
          reading('status', end.status)
          const first = await clock.until(job.webhook.attempt(1), clock.now() + 60_000)
          const second = await clock.until(job.webhook.attempt(2), clock.now() + 60_000)
          reading('webhook', [first, second].map((one) => (one?.at.target ?? 0) - from).join())
          check('seen').that(end.settled, 'an end', end.status, end.response)
        },
      } satisfies TestScenario,
    ]),
  )
}
