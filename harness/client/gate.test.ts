import { expect, test } from 'vitest'
import type { Variant } from '../../proof/types.ts'
import { limiterOf } from '../../reference/limits/limiter.ts'
import { composeOptions, type ReferenceOptions } from '../../reference/options.ts'
import type { EvidenceEvent } from '../record/events.ts'
import type { Context } from '../rule/context.ts'
import { Unverified } from '../rule/outcome.ts'
import { type RigOptions, runOnRig, type TestScenario } from '../testing/rig.ts'

function variant(changed: Partial<ReferenceOptions>, file?: Variant['file']): Variant {
  return {
    id: 'limited',
    says: 'It is limited.',
    change: (options) => composeOptions(options, changed),
    ...(file === undefined ? {} : { file }),
  }
}

/** Lists the pods so many times. */
function lists(times: number): TestScenario {
  return {
    row: { area: 'pods' },
    async run({ pods, check }) {
      for (let n = 0; n < times; n++) check('listed').status(await pods.list(), 200)
    },
  }
}

async function run(scenarios: Readonly<Record<string, TestScenario>>, options: RigOptions) {
  const { judgements, events, judged, replayed } = await runOnRig(scenarios, options)
  expect(replayed).toEqual(judged)
  const exchanges = events.filter((event) => event.type === 'exchange')
  const startMs = exchanges[0]?.sent.target ?? 0
  return {
    verdicts: Object.fromEntries([...judgements].map(([name, { verdict, reason }]) => [name, reason ?? verdict])),
    sentS: exchanges.map(({ sent }) => (sent.target - startMs) / 1000),
    statuses: exchanges.map(statusOf),
    owners: exchanges.map(({ owner }) => owner),
  }
}

function statusOf(event: Extract<EvidenceEvent, { type: 'exchange' }>): number | string {
  return event.response?.status ?? String(event.failure)
}

/** Makes a pod and sees it STARTING. */
const catches: TestScenario = {
  row: { area: 'pods' },
  async run({ fixture, pods, check }) {
    const { id } = await fixture.pod('STARTING')
    const { status } = check('caught').object(await pods.get(id))
    check('caught').that(status === 'STARTING', 'STARTING', String(status), null)
  },
}

test('rules share a quota without a 429, each in its turn', async () => {
  const { verdicts, statuses, sentS } = await run(
    { 'pods.a': lists(15), 'pods.b': lists(15) },
    { variants: [variant({ quotas: { minute: 10 }, limiter: limiterOf('gcra') })] },
  )
  expect(verdicts).toEqual({ 'pods.a': 'passed', 'pods.b': 'passed' })
  expect(statuses.every((status) => status === 200)).toBe(true)
  expect(sentS.at(-1)).toBe(126)
})

test('an hour that is used up is not waited out: the first refusal is believed, and nothing more is sent', async () => {
  const { verdicts, statuses } = await run(
    { 'pods.a': lists(4), 'pods.b': lists(4) },
    { variants: [variant({ quotas: { hour: 5 } })] },
  )
  const [url, why] = [
    'GET https://reference.test/v2/pods was not sent',
    'the target answered 429 and grants nothing for another 1h, longer than the tolerance rateWait (3m); its window hour grants 5 requests in 1h, has 0 left and resets in 1h',
  ]
  expect(verdicts).toEqual({ 'pods.a': `${url}: ${why}`, 'pods.b': `${url}: ${why}` })
  expect(statuses.filter((status) => status === 200)).toHaveLength(5)
  expect(statuses.filter((status) => status === 429)).toHaveLength(1)
  expect(statuses.slice(6)).toEqual([`not sent: ${why}`, `not sent: ${why}`])
})

const refusesAlways: Variant = {
  id: 'refuses',
  says: 'It refuses.',
  wrap: () => async () => new Response('{}', { status: 429, headers: { 'retry-after': '20' } }),
}

test('where nothing is ever served, all rules end after the tolerance, those that come later at once', async () => {
  const later: TestScenario = {
    row: { area: 'pods' },
    async run({ clock, pods }: Context) {
      await clock.sleep(400_000)
      await pods.list()
    },
  }
  const { verdicts, sentS, statuses } = await run(
    { 'pods.a': lists(1), 'pods.b': lists(1), 'pods.c': later },
    {
      variants: [refusesAlways],
    },
  )
  const why =
    'the target answered 429 to every request within the tolerance rateWait (3m); the responses have no RateLimit header'
  const reason = `GET https://reference.test/v2/pods was not sent: ${why}`
  expect(verdicts).toEqual({ 'pods.a': reason, 'pods.b': reason, 'pods.c': reason })
  expect(statuses.filter((status) => status === 429)).toHaveLength(10)
  expect(sentS.filter((_, place) => statuses[place] !== 429)).toEqual([160.4, 160.4, 400])
})

test('after a 429 one request goes alone, and the others once it is served', async () => {
  let sent = 0
  const refusesTwo: Variant = {
    ...variant({ life: { answerDelayMs: 50 } }),
    wrap: (fetch) => async (request) => {
      const isRefused = [2, 3].includes(++sent)
      const response = await fetch(request)
      const headers = isRefused ? { 'retry-after': '1' } : {}
      return new Response(await response.text(), { status: isRefused ? 429 : 200, headers })
    },
  }
  const rules = { 'pods.a': lists(1), 'pods.b': lists(1), 'pods.c': lists(1) }
  const { sentS, statuses, verdicts } = await run(rules, { variants: [refusesTwo] })
  expect(verdicts).toEqual({ 'pods.a': 'passed', 'pods.b': 'passed', 'pods.c': 'passed' })
  expect(statuses).toEqual([200, 429, 429, 200, 200])
  const [alone = 0, next = 0] = sentS.slice(3)
  expect(next - alone).toBeCloseTo(0.05)
})

test('without Retry-After and windows the waits double', async () => {
  let refused = 0
  const { sentS, verdicts } = await run(
    { 'pods.a': lists(1) },
    {
      variants: [
        {
          id: 'refuses',
          says: 'It refuses four times.',
          wrap: (fetch) => async (request) => (++refused > 4 ? fetch(request) : new Response('{}', { status: 429 })),
        },
      ],
    },
  )
  expect(verdicts).toEqual({ 'pods.a': 'passed' })
  expect(sentS).toEqual([0, 1, 3, 7, 15])
})

test('without Retry-After and windows the waits double too if responses take time', async () => {
  let refused = 0
  const slowlyRefused: Variant = {
    ...variant({ life: { answerDelayMs: 50 } }),
    wrap: (fetch) => async (request) => {
      const response = await fetch(request)
      return ++refused > 4 ? response : new Response('{}', { status: 429 })
    },
  }
  const { sentS, verdicts } = await run({ 'pods.a': lists(1) }, { variants: [slowlyRefused] })
  expect(verdicts).toEqual({ 'pods.a': 'passed' })
  expect(sentS).toEqual([0, 1.05, 3.1, 7.15, 15.2])
})

test('budget.requestsPerMinute bounds the requests of all keys in any minute', async () => {
  const { sentS } = await run(
    {
      'pods.a': lists(20),
      'pods.b': {
        row: { area: 'pods' },
        async run({ as, check }) {
          for (let n = 0; n < 20; n++) check('listed').status(await as('stranger').list(), 200)
        },
      },
    },
    { target: (target) => ({ ...target, budget: { ...target.budget, requestsPerMinute: 10 } }) },
  )
  expect(sentS).toHaveLength(40)
  for (const from of sentS) expect(sentS.filter((at) => at >= from && at < from + 60).length).toBeLessThanOrEqual(10)
  expect(sentS.at(-1)).toBe(180)
})

test('a rule that is ended leaves the line at once', async () => {
  let cut = () => {}
  const { verdicts, owners, sentS } = await run(
    {
      'pods.ended': lists(20),
      'pods.other': {
        row: { area: 'pods' },
        async run({ as, check, clock }) {
          await clock.sleep(1_000)
          cut()
          await clock.sleep(1_000)
          check('listed').status(await as('second').list(), 200)
        },
      },
    },
    {
      variants: [variant({ quotas: { minute: 6 }, limiter: limiterOf('token-bucket') })],
      opened: (session) => {
        cut = () => session.cut(new Unverified('ended by the test'), ['pods.ended'])
      },
    },
  )
  expect(verdicts).toEqual({ 'pods.ended': 'ended by the test', 'pods.other': 'passed' })
  expect([owners.at(-1), owners.length, sentS.at(-1)]).toEqual(['pods.other', 7, 10.5])
})

test('a quota that is used up for long ends a rule that would reserve some of it, also by replay', async () => {
  const { verdicts } = await run(
    { 'pods.a': lists(5), 'pods.catches': catches },
    { variants: [variant({ quotas: { hour: 5 } })] },
  )
  expect(verdicts['pods.catches']).toMatch(/was not sent: the target answered 429 and grants nothing for another/)
})

test.each([
  ['short', { provisioningMs: 2_000, startingMs: 3_000 }],
  ['long', { provisioningMs: 30_000, startingMs: 20_000 }],
])('a rule about a %s status has its requests before others send theirs', async (_, life) => {
  const { verdicts } = await run(
    { 'pods.busy': lists(60), 'pods.busier': lists(60), 'pods.catches': catches },
    { variants: [variant({ quotas: { minute: 30 }, limiter: limiterOf('sliding-log'), life })] },
  )
  expect(verdicts['pods.catches']).toBe('passed')
})

test('what shows the level of a quota belongs to no rule', async () => {
  const { owners, verdicts } = await run(
    { 'pods.busy': lists(28), 'pods.catches': catches },
    { variants: [variant({ quotas: { minute: 30 }, limiter: limiterOf('token-bucket') })] },
  )
  expect(verdicts).toEqual({ 'pods.busy': 'passed', 'pods.catches': 'passed' })
  expect(owners).toContain('pacing:1')
})

test('where the list shows nothing of the quota, it is not asked for again and again', async () => {
  const { owners, verdicts } = await run(
    { 'pods.busy': lists(28), 'pods.catches': catches },
    {
      variants: [
        {
          ...variant({ quotas: { minute: 30 }, limiter: limiterOf('token-bucket') }),
          wrap: (fetch) => async (request) => {
            const response = await fetch(request)
            if (request.url.endsWith('/v2/pods') && request.method === 'GET') response.headers.delete('ratelimit')
            return response
          },
        },
      ],
    },
  )
  expect(verdicts).toEqual({ 'pods.busy': 'passed', 'pods.catches': 'passed' })
  expect(owners.filter((owner) => owner.startsWith('pacing')).length).toBeLessThan(5)
})

test('a quota that is too small for a short status is the reason why it was not seen', async () => {
  const { verdicts } = await run(
    { 'pods.busy': lists(20), 'pods.catches': catches },
    {
      variants: [variant({ quotas: { minute: 5 }, life: { provisioningMs: 20_000, startingMs: 100 } })],
    },
  )
  expect(verdicts['pods.catches']).toMatch(
    /no pod was seen in STARTING; the next status seen is RUNNING; because of the quota of the target \(window minute: 5 requests in 1m\), \w+ passed between two reads of it$/,
  )
})

test.each([600, 10_000])(
  'a short status after %i ms that one pod leaves between two reads is seen on the next',
  async (provisioningMs) => {
    const life = { provisioningMs, startingMs: 300 }
    const { verdicts } = await run({ 'pods.catches': catches }, { variants: [variant({ life })] })
    expect(verdicts).toEqual({ 'pods.catches': 'passed' })
  },
)

test.each([600, 10_000, 20_000])(
  'a status that no pod shows is given up, after PROVISIONING for %i ms',
  async (provisioningMs) => {
    const life = { provisioningMs, startingMs: 0 }
    const { verdicts } = await run({ 'pods.catches': catches }, { variants: [variant({ life })] })
    expect(verdicts['pods.catches']).toMatch(/no pod was seen in STARTING; the next status seen is RUNNING; a shorter /)
  },
)
