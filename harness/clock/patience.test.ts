import { expect, test, vi } from 'vitest'
import { createPatience } from './patience.ts'

test('in process a response that takes time is paused for once, until one comes without time again', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const pauses = () => timers.mock.calls.filter(([, ms]) => ms === 5).length
  const patience = createPatience('virtual')
  async function wait(comes: boolean) {
    const before = pauses()
    const waiting = patience.wait('response')
    if (comes) patience.interrupt()
    return { nothingCame: await waiting, pauses: pauses() - before }
  }
  try {
    expect(await wait(true)).toEqual({ nothingCame: false, pauses: 1 })
    expect(await wait(false)).toEqual({ nothingCame: true, pauses: 1 })
    expect(await wait(false)).toEqual({ nothingCame: true, pauses: 0 })
    expect(await wait(true)).toEqual({ nothingCame: false, pauses: 0 })
    expect(await wait(false)).toEqual({ nothingCame: true, pauses: 1 })
  } finally {
    timers.mockRestore()
  }
})
