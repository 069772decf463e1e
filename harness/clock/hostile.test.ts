import { describe, expect, test } from 'vitest'
import type { Context } from '../rule/context.ts'
import { type Hostility, hostileClock, hostilities } from '../testing/hostile-clock.ts'
import { runOnRig, type TestScenario } from '../testing/rig.ts'

/**
 * Every way to wait: for a length of time, a status, an execution, a notification, a response that is held, a quota.
 */
const scenarios: Readonly<Record<string, TestScenario>> = {
  sleeps: {
    async run({ clock, queue, check }) {
      await clock.sleep(5_000)
      check('there').status(await queue.health(), 200)
    },
  },
  pod: {
    row: { area: 'pods' },
    async run({ fixture, pods, check }) {
      const pod = await fixture.shared('RUNNING')
      check('there').status(await pods.get(pod.id), 200)
    },
  },
  job: {
    async run({ fixture, clock, begun, ended, check }) {
      const job = await fixture.submitted({ steps: [{ hold: 'go' }], webhook: [500, { slowMs: 2_000, status: 200 }] })
      await begun(job)
      await clock.sleep(3_000)
      job.beacon.release('go')
      const { status, response } = await ended(job)
      check('ended').that(status === 'COMPLETED', 'COMPLETED', status, response)
      const attempt = await clock.until(job.webhook.attempt(2), clock.now() + 60_000)
      check('notified').that(attempt !== null, 'an attempt', 'none', response)
    },
  },
  held: {
    async run({ fixture, queue, check }) {
      const { body } = fixture.job({ steps: [{ output: 1 }], endpoint: 'scaleToZero' })
      check('answered').status(await queue.on('scaleToZero').runsync(body), 200)
    },
  },
  lines: { run: lines, each: () => [1_000, 2_000] },
  paced: {
    exclusive: ['dedicated'],
    async run({ queue, check }) {
      for (let n = 0; n < 3; n++) check('purged').status(await queue.on('dedicated').purge(), 200)
    },
  },
}

/** Concurrent waits, with answers that are held meanwhile. */
async function lines({ fixture, queue, clock, check }: Context, ms: unknown): Promise<void> {
  const job = fixture.job({ steps: [{ hold: 'go' }] })
  const answer = queue.held.runsync(job.body)
  await clock.sleep(Number(ms))
  job.beacon.release('go')
  const response = await clock.until(answer, clock.now() + 60_000)
  check('answered').that(response !== null, 'a response', 'none', null)
  if (response !== null) check('answered').status(response, 200)
}

/** So many calls at most follow once a clock is broken: 100 repeated moves, or two waits of some 200 looks at a busy target. */
const maxCalls = ({ source }: RegExp) => (/POST 100 times|the target (says|reports)/.test(source) ? 500 : 5)

async function runWith(hostility: Pick<Hostility, 'spoil'>, from: number, busyLimitMs = 30_000) {
  let calls = () => 0
  const seen = await runOnRig(scenarios, {
    clock: (healthy) => {
      const clock = hostileClock(healthy, hostility, from)
      calls = clock.calls
      return clock.send
    },
    busyLimitMs,
  })
  return { ...seen, calls: calls() }
}

const { calls, judgements } = await runWith({ spoil: ({ advance }) => advance() }, 0)

test('a clock that keeps what it says lets every rule pass', () => {
  expect([...judgements].filter(([, { verdict }]) => verdict !== 'passed')).toEqual([])
  expect(calls).toBeGreaterThan(25)
})

/** The first call opens the run. */
const moments = [2, 3, 4, 6, ...Array.from({ length: 6 }, (_, n) => Math.floor(((n + 1) * (calls - 2)) / 6))]

describe.concurrent.each(hostilities)('a clock that breaks: $says', ({ reason, spoil }) => {
  const isBusy = /the target (says|reports)/.test(reason?.source ?? '')
  test.each(moments)('from its call %i on', async (from) => {
    const { judgements, judged, replayed, resources, calls } = await runWith({ spoil }, from, isBusy ? 50 : undefined)
    const unpassed = [...judgements.values()].filter(({ verdict }) => verdict !== 'passed')
    expect(unpassed.filter(({ verdict }) => verdict !== 'inconclusive')).toEqual([])
    if (reason === null) expect(unpassed).toEqual([])
    for (const one of unpassed) expect(one.reason).toMatch(reason ?? /$never/)
    const left = new Map(resources.map((line) => [line.kind === 'run' ? '' : 'name' in line ? line.name : '', line]))
    expect([...left.values()].filter((line) => line.kind === 'pod' && line.state !== 'removed')).toEqual([])
    expect(replayed).toEqual(judged)
    // Once it has failed it is asked no more.
    if (reason !== null && unpassed.length > 0) expect(calls - from).toBeLessThanOrEqual(maxCalls(reason))
  })
})
