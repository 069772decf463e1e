import { describe, expect, test } from 'vitest'
import { createControlledClock } from './controlled.ts'
import type { Actor, ClockControl, ClockState } from './types.ts'

/** A target with events of its own at given moments; it counts the steps that it was asked for. */
function targetWith(
  events: number[],
  quiet: Partial<ClockState> = {},
): ClockControl & { steps: number; nowMs: number } {
  const state = (): ClockState => ({ nowMs: target.nowMs, nextMs: events[0] ?? null, busy: [], open: 0, ...quiet })
  const target = {
    steps: 0,
    nowMs: 0,
    state,
    advance(ms: number) {
      target.steps++
      target.nowMs = Math.min(target.nowMs + ms, events[0] ?? Number.POSITIVE_INFINITY)
      while (events[0] !== undefined && events[0] <= target.nowMs) events.shift()
      return state()
    },
  }
  return target
}

describe('a controlled clock', () => {
  test('waits of many scenarios overlap: the time that passes is the longest, not the sum', async () => {
    const control = targetWith([])
    const clock = createControlledClock({ kind: 'virtual', control, startMs: 0 })
    const waits = Array.from({ length: 50 }, (_, n) => (n + 1) * 1000)
    await Promise.all(
      waits.map(async (ms) => {
        const actor = clock.actor(`wait ${ms}`)
        expect(await actor.sleep(ms)).toBe(ms)
        actor.done()
      }),
    )
    expect(control.nowMs).toBe(50_000)
  })

  test('waits beside each other of one scenario overlap, and one line goes on at a time', async () => {
    const control = targetWith([])
    const clock = createControlledClock({ kind: 'virtual', control, startMs: 0 })
    const actor = clock.actor('lines')
    const order: string[] = []
    const lines = { a: 20, b: 10, c: 20 }
    const line = async ([name, ms]: [string, number]) => {
      order.push(`${name} begins`)
      expect(await actor.sleep(ms)).toBe(ms)
      order.push(`${name} asks`)
      await actor.during(new Promise((resolve) => setTimeout(resolve, 5)))
      order.push(`${name} ends`)
      return name
    }
    expect(await actor.concurrently(Object.entries(lines), line)).toEqual(['a', 'b', 'c'])
    expect(await actor.sleep(5)).toBe(25)
    expect(order).toEqual(
      ['a begins', 'b begins', 'c begins'].concat(['b', 'a', 'c'].flatMap((name) => [`${name} asks`, `${name} ends`])),
    )
    actor.done()
  })

  test('of several lines that fail the first in their order tells, and all go on to their end', async () => {
    const clock = createControlledClock({ kind: 'virtual', control: targetWith([]), startMs: 0 })
    const actor = clock.actor('lines')
    const ended: number[] = []
    const fails = async (ms: number) => {
      await actor.sleep(ms)
      ended.push(ms)
      throw new Error(`failed after ${ms} ms`)
    }
    await expect(actor.concurrently([20, 10, 30], fails)).rejects.toThrow('failed after 20 ms')
    expect(ended).toEqual([10, 20, 30])
    expect(await actor.sleep(5)).toBe(35)
    actor.done()
  })

  test.each<[string, RegExp, (actor: Actor) => Promise<unknown>]>([
    ['two waits at once', /two waits at once/, (actor) => Promise.all([actor.sleep(10), actor.sleep(20)])],
    [
      'two, of which the last ends first',
      /two waits at once/,
      (actor) => Promise.all([actor.sleep(40), actor.sleep(5)]),
    ],
    [
      'a wait beside one for something from outside',
      /two waits at once/,
      (actor) => Promise.race([actor.until(new Promise(() => {}), 15), actor.sleep(5)]),
    ],
    ['lines of its own', /branches within a branch/, (actor) => actor.concurrently([5, 10], (ms) => actor.sleep(ms))],
  ])('a line with %s fails, and the others go on to their end', async (_, expected, spoilt) => {
    const clock = createControlledClock({ kind: 'virtual', control: targetWith([]), startMs: 0 })
    const actor = clock.actor('lines')
    const ended: number[] = []
    const plain = async (ms: number) => {
      await actor.sleep(ms)
      await actor.sleep(ms)
      ended.push(ms)
    }
    const lines = [() => plain(30), () => spoilt(actor), () => plain(10)]
    await expect(actor.concurrently(lines, (line) => line())).rejects.toThrow(expected)
    expect(ended).toEqual([10, 30])
    expect(await actor.concurrently([5, 10], (ms) => actor.sleep(ms))).toEqual([65, 70])
    actor.done()
  })

  test('outside of lines several waits at once are simply waited for, whatever lines there are', async () => {
    const clock = createControlledClock({ kind: 'virtual', control: targetWith([]), startMs: 0 })
    const actor = clock.actor('lines')
    const outside = async () => {
      await actor.sleep(10)
      return Promise.all([actor.sleep(10), actor.sleep(20)])
    }
    const both = [outside(), actor.concurrently([15, 40], (ms) => actor.sleep(ms))]
    expect(await Promise.all(both)).toEqual([
      [20, 30],
      [15, 40],
    ])
    actor.done()
  })

  test('time stands still while a request is under way, however long it takes in real time', async () => {
    const control = targetWith([])
    const clock = createControlledClock({ kind: 'virtual', control, startMs: 0 })
    const sleeper = clock.actor('sleeper')
    const busy = clock.actor('busy')
    const slept = sleeper.sleep(10).then((now) => end(sleeper, now))
    await busy.during(new Promise((resolve) => setTimeout(resolve, 20)))
    expect(control.nowMs).toBe(0)
    const later = busy.sleep(5).then((now) => end(busy, now))
    expect(await Promise.all([slept, later])).toEqual([10, 5])
  })

  test.each(['request', 'command'] as const)('a %s that takes longer than a busy target may', async (kind) => {
    const control = targetWith([])
    const clock = createControlledClock({ kind: 'virtual', control, startMs: 0, busyLimitMs: 50 })
    const actor = clock.actor('packs')
    const other = clock.actor('waits')
    const waits = other.sleep(1_000).then(
      () => 'waited',
      () => 'inconclusive',
    )
    const passes = new Promise((resolve) => setTimeout(resolve, 300))
    await actor.during(kind === 'command' ? passes : waits, kind)
    actor.done()
    expect(await waits).toBe(kind === 'command' ? 'waited' : 'inconclusive')
    other.done()
  })

  test('a response that comes while time is moved is of the moment after the move', async () => {
    const target = targetWith([100])
    const state = () => ({ ...target.state(), open: 1 })
    const moved = Promise.withResolvers<void>()
    const control: ClockControl = {
      state,
      async advance(ms) {
        const reached = { ...(await target.advance(ms)), open: 1 }
        moved.resolve()
        // The response of the rule comes first.
        await new Promise((resolve) => setTimeout(resolve, 20))
        return reached
      },
    }
    const clock = createControlledClock({ kind: 'virtual', control, startMs: 0 })
    const actor = clock.actor('rule')
    await actor.during(moved.promise)
    expect(clock.now()).toBe(100)
    actor.done()
  })

  test('the clock advances for a response that takes time after all, and reports it once', async () => {
    const control = targetWith([100, 200])
    let reports = 0
    const onLateResponse = () => void reports++
    const clock = createControlledClock({ kind: 'virtual', control: { ...control, state }, startMs: 0, onLateResponse })
    function state() {
      return { ...control.state(), open: 1 }
    }
    const actor = clock.actor('rule')
    for (const moment of [100, 200]) {
      const due = async () => {
        while (control.nowMs < moment) await new Promise((resolve) => setTimeout(resolve, 1))
        return moment
      }
      expect(await actor.during(due())).toBe(moment)
    }
    expect(reports).toBe(1)
    actor.done()
  })

  test('a late response of a busy target is not reported: the clock does not advance', async () => {
    const control = targetWith([100], { busy: ['w1'], open: 1 })
    let reports = 0
    const onLateResponse = () => void reports++
    const clock = createControlledClock({ kind: 'virtual', control, startMs: 0, onLateResponse })
    const actor = clock.actor('rule')
    await actor.during(new Promise((resolve) => setTimeout(resolve, 30)))
    expect([control.steps, reports]).toEqual([0, 0])
    actor.done()
    clock.close()
  })

  test('time stands still while something real is under way, whatever its actor waits for beside it', async () => {
    const control = targetWith([])
    const clock = createControlledClock({ kind: 'virtual', control, startMs: 0 })
    const sleeper = clock.actor('sleeper')
    const slept = sleeper.sleep(10).then((now) => end(sleeper, now))
    const hooked = clock.actor('hooked')
    const beside = hooked.join(slept)
    await hooked.real(new Promise((resolve) => setTimeout(resolve, 20)))
    expect(control.nowMs).toBe(0)
    expect(await beside).toBe(10)
    hooked.done()
  })

  test('at equal times the target goes first', async () => {
    const order: string[] = []
    const events = [100]
    const control = targetWith(events)
    const advance = control.advance.bind(control)
    control.advance = (ms) => {
      const before = events.length
      const state = advance(ms)
      if (events.length < before) order.push('target')
      return state
    }
    const clock = createControlledClock({ kind: 'virtual', control, startMs: 0 })
    const actor = clock.actor('harness')
    await actor.at(100)
    order.push('harness')
    actor.done()
    expect(order).toEqual(['target', 'harness'])
  })

  test('one who waits for another actor asks for no time but does not hold it up', async () => {
    const control = targetWith([])
    const clock = createControlledClock({ kind: 'virtual', control, startMs: 0 })
    const maker = clock.actor('fixture')
    const user = clock.actor('rule')
    const made = maker.sleep(3000).then((now) => end(maker, now))
    expect(await user.join(made)).toBe(3000)
    user.done()
  })

  test.each([
    ['the event comes first', 50, 'arrived'],
    ['the deadline comes first', 150, null],
  ])('until: %s', async (_, arrivesAt, expected) => {
    const clock = createControlledClock({ kind: 'virtual', control: targetWith([]), startMs: 0 })
    const outside = clock.actor('outside')
    const waiter = clock.actor('waiter')
    const event = outside.sleep(arrivesAt).then(() => end(outside, 'arrived'))
    expect(await waiter.until(event, 100)).toBe(expected)
    waiter.done()
    await event
  })

  test('a target whose timers repeat for ever makes the wait inconclusive and says so', async () => {
    const control = targetWith([])
    control.state = () => ({ nowMs: 0, nextMs: 1, busy: [], open: 0 })
    control.advance = () => ({ nowMs: 0, nextMs: 1, busy: [], open: 0 })
    const clock = createControlledClock({ kind: 'virtual', control, startMs: 0, stepBudget: 50 })
    await expect(clock.actor('rule').sleep(10)).rejects.toThrow(/more than 50 steps/)
  })

  test('work that the target has under way holds time up until it is done', async () => {
    const control = targetWith([])
    let looks = 0
    control.state = () => ({ nowMs: control.nowMs, nextMs: null, busy: looks++ < 3 ? ['c1'] : [], open: 0 })
    const clock = createControlledClock({ kind: 'virtual', control, startMs: 0 })
    expect(await clock.actor('rule').sleep(10)).toBe(10)
    expect(looks).toBeGreaterThan(3)
  })
})

function end<T>(actor: Actor, value: T): T {
  actor.done()
  return value
}
