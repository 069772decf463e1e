import { expect, test, vi } from 'vitest'
import { createClockPatience } from './patience.ts'

test('in process the pause before a response is skipped after a wait that ended without one', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const patience = createClockPatience('virtual')
  /** Ends at once if `comes`; returns the pauses, ms, that were begun, and true if nothing came. */
  async function wait(occasion: Parameters<typeof patience.wait>[0], comes: boolean) {
    const before = timers.mock.calls.length
    const waiting = patience.wait(occasion)
    const pauses = timers.mock.calls.slice(before).map(([, ms]) => ms)
    if (comes) patience.interrupt()
    return [pauses, await waiting]
  }
  try {
    expect(await wait('response', true)).toEqual([[5], false])
    expect(await wait('response', false)).toEqual([[5], true])
    expect(await wait('nothing', true)).toEqual([[1_000], false])
    expect(await wait('arrival', true)).toEqual([[], false])
    expect(await wait('response', false)).toEqual([[], true])
    expect(await wait('response', true)).toEqual([[], false])
    expect(await wait('arrival', false)).toEqual([[], true])
    expect(await wait('response', true)).toEqual([[5], false])
  } finally {
    timers.mockRestore()
  }
})
