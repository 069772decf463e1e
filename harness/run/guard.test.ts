import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createInstance } from '../../proof/instance.ts'
import { createControlledClock } from '../clock/controlled.ts'
import { createRealClock } from '../clock/real.ts'
import type { RunClock } from '../clock/types.ts'
import { noRecorder } from '../record/recorder.ts'
import { Stalled, Unverified } from '../rule/outcome.ts'
import { runOnRig } from '../testing/rig.ts'
import { inProcess } from '../transport/in-process.ts'
import { guardRun } from './guard.ts'
import { createSession } from './session.ts'

const never = new Promise<never>(() => {})

function clocks(): [name: string, make: () => RunClock][] {
  const state = () => ({ nowMs: 0, nextMs: null, busy: [], open: 0 })
  const control = { state, advance: state }
  return [
    ['controlled', () => createControlledClock({ kind: 'virtual', control, startMs: 0 })],
    ['real', () => createRealClock()],
  ]
}

/** Rules that a guard ends in a session that only notes them, once it has ended one. */
function guarding(clock: RunClock, running: readonly string[], more: { endsMs?: number } = {}) {
  const cuts: [name: string, rules: readonly string[] | undefined][] = []
  const reasons: string[] = []
  const left = new Set(running)
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = guardRun({
    session: {
      running: left,
      waits: () => 'its window minute has 0 left',
      cut(error: Unverified | Stalled, rules?: readonly string[]) {
        cuts.push([error.name, rules])
        reasons.push(error.message)
        for (const rule of rules ?? []) left.delete(rule)
        resolve()
      },
    },
    clock,
    endsMs: more.endsMs ?? null,
    budgetMs: 1_000,
    stallMs: 60,
  })
  onTestFinished(() => {
    end()
    clock.close()
  })
  return { cuts, cut: promise, reasons }
}

test.each(clocks())(
  'on a %s clock a rule that awaits what is no wait of it is ended, and nobody else',
  async (_, make) => {
    const clock = make()
    clock.actor('hangs')
    const sleeper = clock.actor('sleeps')
    void sleeper.until(never, Date.now() + 60_000).catch(() => {})
    const { cut, cuts } = guarding(clock, ['hangs', 'sleeps'])
    await cut
    expect(cuts).toEqual([['Stalled', ['hangs']]])
  },
)

test.each(clocks())('on a %s clock rules that wait for one another are ended', async (_, make) => {
  const clock = make()
  void clock.actor('one').join(never)
  void clock.actor('waits for its turn').join(never)
  const { cut, cuts } = guarding(clock, ['one'])
  await cut
  expect(cuts).toEqual([['Stalled', ['one']]])
})

test('an actor of a fixture that hangs is taken off the clock, so that the others go on', async () => {
  const state = { nowMs: 0, nextMs: null, busy: [], open: 0 }
  const advance = (ms: number) => {
    state.nowMs += ms
    return state
  }
  const clock = createControlledClock({ kind: 'virtual', control: { state: () => state, advance }, startMs: 0 })
  clock.actor('fixture:hangs')
  const rule = clock.actor('rule')
  const slept = rule.sleep(1_000)
  const { cuts } = guarding(clock, ['rule'])
  expect(await slept).toBe(1_000)
  rule.done()
  expect(cuts).toEqual([])
})

test.each(clocks())('on a %s clock nobody is ended while a hook runs', async (_, make) => {
  const clock = make()
  const { promise: hook, resolve: end } = Promise.withResolvers<void>()
  const fixture = clock.actor('fixture:hooked')
  const made = fixture.real(hook)
  void clock.actor('waits for the fixture').join(made)
  const { cuts } = guarding(clock, ['hooked', 'waits for the fixture'])
  const hooked = clock.actor('hooked')
  await Promise.all([hooked.real(pause(200)), hooked.join(pause(200))])
  hooked.done()
  expect(clock.eventsAtDeadlock()).toBe(null)
  expect(clock.stuckActors()).toEqual([])
  expect(cuts).toEqual([])
  end()
  await made
  expect(clock.stuckActors()).toContain(fixture)
})

test('what is not done in time is ended as unverified, with the quota that requests wait for', async () => {
  const clock = createRealClock()
  void clock.actor('rule').join(never)
  const { cut, cuts, reasons } = guarding(clock, ['rule'], { endsMs: 0 })
  await cut
  await nextTurn()
  expect(reasons).toEqual([
    'not done within the budget of 1s; requests waited for a quota: its window minute has 0 left',
  ])
  expect(cuts[0]).toEqual(['Unverified', undefined])
})

test('a budget of weeks ends nobody at once', async () => {
  const clock = createRealClock()
  void clock.actor('rule').sleep(60_000)
  const { cuts } = guarding(clock, ['rule'], { endsMs: 600 * 3_600_000 })
  await pause(50)
  expect(cuts).toEqual([])
})

test('a rule that is ended leaves nothing behind, holds nobody up, and a replay ends it too', async () => {
  const { judgements, judged, replayed, resources } = await runOnRig(
    {
      hangs: {
        row: { needs: ['worker'] },
        async run({ fixture }) {
          await fixture.submitted({ steps: [{ hold: 'go' }] })
          await never
        },
      },
      goes: {
        async run({ queue, check }) {
          check('healthy').status(await queue.health(), 200)
        },
      },
    },
    {
      opened(session) {
        const looking = setInterval(() => {
          if (session.exchanges() < 2) return
          clearInterval(looking)
          session.cut(new Stalled('nothing moved'), ['hangs'])
        }, 5)
      },
    },
  )
  expect(judgements.get('hangs')).toMatchObject({ verdict: 'broken', reason: 'Stalled: nothing moved' })
  expect(judgements.get('goes')).toMatchObject({ verdict: 'passed' })
  expect(resources.at(-1)).toMatchObject({ kind: 'job', state: 'removed' })
  expect(replayed).toEqual(judged)
})

test('after the end of a run that was cut a shared fixture asks for nothing more', async () => {
  const { fetch, target } = createInstance([])
  const clock = createRealClock()
  onTestFinished(() => clock.close())
  const { promise: looked, resolve: look } = Promise.withResolvers<void>()
  const id = 'queue.run.accepted'
  const session = createSession({
    runId: 'rtest000000',
    version: '0.0.0',
    seed: 1,
    target: { ...target, tolerances: { ...target.tolerances, pollMs: 10 } },
    transport: inProcess(async (request) => {
      if (/pods\/./.test(request.url)) look()
      return fetch(request)
    }),
    clock,
    recorder: noRecorder,
    resources: () => {},
    rules: [{ kind: 'scenario', id, alone: false, run: async ({ fixture }) => void (await fixture.shared('RUNNING')) }],
    wallNow: () => 0,
  })
  const judged = session.scenarios[0]?.judge()
  // Nobody moves the time of this target, so the pod never comes to be RUNNING.
  await looked
  session.cut(new Unverified('the time is over'))
  expect(await judged).toMatchObject({ verdict: 'unverified' })
  await session.finish()
  const sent = session.exchanges()
  await pause(200)
  expect(session.exchanges()).toBe(sent)
})
