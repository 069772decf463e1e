import { headerOf, jsonOf, type WireResponse } from '../exchange/exchange.ts'
import { type Transport, TransportFailure } from '../transport/types.ts'
import { type ClockCall, ClockFault, readClockState } from './state.ts'
import type { ClockControl, ClockState } from './types.ts'

/** A fault that may pass: a connection that was reset, or a 5xx. */
class PassingFault extends ClockFault {}

/**
 * The control address of a target (`clock: {url}` in the target file) as a clock control. A call whose fault may pass
 * is repeated once. Rejects with ClockFault, which says what came instead.
 */
export function createControlClient(url: string, send: Transport): ClockControl {
  let seenMs = Number.NEGATIVE_INFINITY

  async function call(method: ClockCall, body: string | null): Promise<ClockState> {
    const bytes = body === null ? null : new TextEncoder().encode(body)
    const headers: [string, string][] = body === null ? [] : [['Content-Type', 'application/json']]
    const response = await send({ method, url, headers, body: bytes }).catch((error: unknown) => {
      if (!(error instanceof TransportFailure)) throw error
      throw new (error.kind === 'reset' || error.kind === 'stale' ? PassingFault : ClockFault)(
        `gave no response: ${error.message}`,
        true,
      )
    })
    const state = stateOf(response, method)
    seenMs = state.nowMs
    return state
  }

  const look = () => call('GET', null)
  return {
    state: () => look().catch(onPassingFault(look)),
    advance(ms) {
      const beforeMs = seenMs
      const move = () => call('POST', JSON.stringify({ advanceMs: ms }))
      // A call without a response may have taken effect, and must not take effect twice.
      const again = async () => {
        const state = await look()
        return state.nowMs > beforeMs ? state : move()
      }
      return move().catch(onPassingFault(again))
    },
  }
}

/** Repeats a call whose fault may pass; rethrows everything else. */
function onPassingFault<T>(again: () => Promise<T>): (error: unknown) => Promise<T> {
  return (error) => {
    if (error instanceof PassingFault) return again()
    throw error
  }
}

function stateOf(response: WireResponse, method: ClockCall): ClockState {
  const { status, body } = response
  if (status >= 500) throw new PassingFault(`answered ${method} with ${status}; it must answer 200 with its state`)
  if (status === 409 && method === 'POST') {
    throw new ClockFault(
      'answered POST with 409, as a real clock does; serve one that can be moved, or write clock: real',
    )
  }
  if (status >= 300 && status < 400) {
    const place = headerOf(response.headers, 'location') ?? 'nowhere'
    throw new ClockFault(
      `answered ${method} with ${status} to ${place}; redirects are not followed, so write that address`,
    )
  }
  if (status !== 200) throw new ClockFault(`answered ${method} with ${status}; it must answer 200 with its state`)
  const json = jsonOf(body)
  if (json === undefined) throw new ClockFault(`answered ${method} with a body that is not JSON; it must be its state`)
  return readClockState(json, method)
}
