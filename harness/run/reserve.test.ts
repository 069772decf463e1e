import { expect, test } from 'vitest'
import { Unverified } from '../rule/outcome.ts'
import { type RigResult, runOnRig, type TestScenario } from '../testing/rig.ts'

const quick: TestScenario = {
  exclusive: ['second'],
  async run({ queue, check }) {
    check('status').status(await queue.health(), 200)
  },
}

const reason = 'left out by the budget of 20s: with it the run takes 1m'

/** Left-out rules of 10 s each in this order, with so much real time left. */
function leftOutWith(leftMs: () => number, names: readonly string[]) {
  const rules = names.map((rule) => ({ rule, ms: 10_000, requests: 0 }))
  return {
    leftOut: names.map((rule) => ({ rule, reason })),
    reserve: { rules, perMinute: null, spareRequests: null, leftMs },
  }
}

function verdictsOf(judgements: RigResult['judgements']) {
  return Object.fromEntries([...judgements.values()].map(({ rule, verdict, reason }) => [rule, [verdict, reason]]))
}

test('a rule that a budget left out runs if time is left, and its record is judged the same', async () => {
  const { judgements, events, judged, replayed } = await runOnRig(
    { planned: quick, late: quick },
    { leftOut: leftOutWith(() => 60_000, ['late']) },
  )
  expect(verdictsOf(judgements)).toEqual({ late: ['passed', null], planned: ['passed', null] })
  expect(events.filter(({ type }) => type === 'added')).toEqual([{ type: 'added', rule: 'late' }])
  const order = events.flatMap((event) => (event.type === 'exchange' ? [event.owner] : []))
  expect(order.indexOf('late')).toBeGreaterThan(order.lastIndexOf('planned'))
  expect(replayed).toEqual(judged)
})

test('a rule that does not fit keeps the reason of the plan, even if the budget ends meanwhile', async () => {
  let leftMs = 60_000
  let end = () => {}
  const long: TestScenario = {
    exclusive: ['second'],
    async run({ queue, clock, check }) {
      check('status').status(await queue.health(), 200)
      await clock.sleep(1_000)
      leftMs = 0
      end()
      await clock.sleep(1_000)
    },
  }
  const { judgements, events, judged, replayed } = await runOnRig(
    { long, late: quick },
    {
      leftOut: leftOutWith(() => leftMs, ['late']),
      opened: (session) => {
        end = () => session.cut(new Unverified('not done within the budget of 20s'))
      },
    },
  )
  expect(verdictsOf(judgements)).toEqual({
    late: ['unverified', reason],
    long: ['unverified', 'not done within the budget of 20s'],
  })
  expect(events.some(({ type }) => type === 'added')).toBe(false)
  expect(replayed).toEqual(judged)
})

test('a rule that was added and not done when the budget ended is replayed as unverified', async () => {
  let end = () => {}
  const cut: TestScenario = {
    async run({ queue, clock }) {
      await queue.health()
      end()
      await clock.sleep(1_000)
    },
  }
  const { judgements, judged, replayed } = await runOnRig(
    { planned: quick, late: cut },
    {
      leftOut: leftOutWith(() => 60_000, ['late']),
      opened: (session) => {
        end = () => session.cut(new Unverified('not done within the budget of 20s'))
      },
    },
  )
  expect(judgements.get('late')).toMatchObject({ verdict: 'unverified', reason: 'not done within the budget of 20s' })
  expect(replayed).toEqual(judged)
})
