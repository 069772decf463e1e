import { jsonOf } from '../exchange.ts'
import { Inconclusive } from '../outcome.ts'
import type { Transport } from '../transport/types.ts'
import type { ClockControl, ClockState } from './types.ts'

/** The control address of a target (`clock: {url}` in the target file) as a clock control. Errors say what came instead. */
export function createControlClient(url: string, send: Transport): ClockControl {
  async function call(method: string, body: string | null): Promise<ClockState> {
    const bytes = body === null ? null : new TextEncoder().encode(body)
    const headers: [string, string][] = body === null ? [] : [['Content-Type', 'application/json']]
    const { status, body: answer } = await send({ method, url, headers, body: bytes })
    const state = status === 200 ? readState(jsonOf(answer)) : null
    if (state === null) {
      throw new Inconclusive(`${method} ${url} answered ${status} and no clock state {nowMs, nextMs, busy, open}`)
    }
    return state
  }
  return {
    state: () => call('GET', null),
    advance: (ms) => call('POST', JSON.stringify({ advanceMs: ms })),
  }
}

function readState(value: unknown): ClockState | null {
  if (typeof value !== 'object' || value === null) return null
  const { nowMs, nextMs, busy, open } = value as Record<string, unknown>
  if (!Number.isInteger(nowMs) || !(nextMs === null || Number.isInteger(nextMs))) return null
  if (!Array.isArray(busy) || !Number.isInteger(open)) return null
  return {
    nowMs: Number(nowMs),
    nextMs: nextMs === null ? null : Number(nextMs),
    busy: busy.map(String),
    open: Number(open),
  }
}
