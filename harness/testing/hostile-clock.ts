import { jsonOf, type WireResponse } from '../exchange/exchange.ts'
import { type Transport, TransportFailure } from '../transport/types.ts'

type State = Readonly<Record<'nowMs' | 'nextMs' | 'busy' | 'open', unknown>> & { readonly nowMs: number }

/** The response of a broken clock. */
type Spoiled =
  | 'reset'
  | 'silence'
  | { readonly status: number; readonly headers?: [string, string][]; readonly text?: string }

/** A call to a broken clock. */
interface Call {
  readonly method: string
  /** The state of the clock, for GET and, before it moves, for POST. */
  readonly state: State
  /** Number of calls since it broke, this one included. */
  readonly nth: number
  /** Moves the clock by at most so many ms, and returns its state. */
  advance(maxMs?: number): Promise<State>
}

/** One way to break. */
export interface Hostility {
  readonly says: string
  /** Expected reason of a rule that had to wait; null if the run goes on as if nothing had happened. */
  readonly reason: RegExp | null
  readonly spoil: (call: Call) => Spoiled | State | Promise<Spoiled | State>
}

const day = 86_400_000

/** The healthy response with other members. */
function spoiled(change: (state: State) => Record<string, unknown>): Hostility['spoil'] {
  return async ({ advance }) => {
    const state = await advance()
    return { ...state, ...change(state) } as State
  }
}

export const hostilities: readonly Hostility[] = [
  {
    says: 'nextMs has half a millisecond',
    reason: /answered (GET|POST) with nextMs \d+\.5; it must be an integer or null/,
    spoil: spoiled(({ nowMs }) => ({ nextMs: nowMs + 10.5 })),
  },
  {
    says: 'nowMs is a string',
    reason: /with nowMs "\d+"; it must be an integer/,
    spoil: spoiled(({ nowMs }) => ({ nowMs: `${nowMs}` })),
  },
  {
    says: 'time goes back by a day',
    reason: /went back from \d+ to \d+/,
    spoil: spoiled(({ nowMs }) => ({ nowMs: nowMs - day, nextMs: null })),
  },
  {
    says: 'time jumps ahead by years',
    reason: /moved by \d{12} ms (between two calls|where POST asked for \d+ at most)/,
    spoil: spoiled(({ nowMs }) => ({ nowMs: nowMs + 3650 * day, nextMs: null })),
  },
  {
    says: 'time does not move',
    reason: /answered POST 100 times without doing what it asks/,
    spoil: ({ state }) => state,
  },
  {
    says: 'time moves by single milliseconds',
    reason: /answered POST 100 times without doing what it asks/,
    spoil: ({ advance }) => advance(1),
  },
  {
    says: 'what is due is never run',
    reason: /answered POST 100 times without doing what it asks/,
    spoil: spoiled(({ nowMs }) => ({ nextMs: nowMs - 10 })),
  },
  {
    says: 'it is busy for ever',
    reason: /time could not be moved: the target reports ghost/,
    spoil: spoiled(({ busy }) => ({ busy: [...(busy as string[]), 'ghost'] })),
  },
  {
    says: 'it is busy with a thousand things',
    reason: /the target reports ghost-0, .*ghost-4 and 995 more/,
    spoil: spoiled(() => ({ busy: Array.from({ length: 1_000 }, (_, n) => `ghost-${n}`) })),
  },
  {
    says: 'it never receives a request',
    reason: /\d unanswered requests?, and the target says that it has 0 open/,
    spoil: spoiled(() => ({ open: 0 })),
  },
  { says: '500', reason: /answered (GET|POST) with 500/, spoil: () => ({ status: 500 }) },
  {
    says: '404 with a page',
    reason: /answered (GET|POST) with 404/,
    spoil: () => ({ status: 404, text: '<html>not found</html>' }),
  },
  {
    says: 'half a response',
    reason: /answered (GET|POST) with a body that is not JSON/,
    spoil: ({ state }) => ({ status: 200, text: JSON.stringify(state).slice(0, 20) }),
  },
  {
    says: 'a redirect',
    reason: /answered (GET|POST) with 302 to https:\/\/elsewhere.test\//,
    spoil: () => ({ status: 302, headers: [['Location', 'https://elsewhere.test/']] }),
  },
  {
    says: 'it can be read and not moved',
    reason: /answered POST with 409, as a real clock does/,
    spoil: ({ method, state }) => (method === 'GET' ? state : { status: 409 }),
  },
  { says: 'the connection is reset', reason: /gave no response: .*reset/, spoil: () => 'reset' },
  { says: 'it never answers', reason: /gave no response: .*within/, spoil: () => 'silence' },
  {
    says: 'one connection is reset before it has moved',
    reason: null,
    spoil: ({ nth, advance }) => (nth === 1 ? 'reset' : advance()),
  },
  {
    says: 'one connection is reset once it has moved',
    reason: null,
    spoil: async ({ nth, advance }) => {
      const state = await advance()
      return nth === 1 ? 'reset' : state
    },
  },
  { says: 'one 503', reason: null, spoil: ({ nth, advance }) => (nth === 1 ? { status: 503 } : advance()) },
]

/** A clock that is broken from its `from`-th call on, in front of a healthy one; it counts its calls. */
export function hostileClock(healthy: Transport, { spoil }: Pick<Hostility, 'spoil'>, from: number) {
  let calls = 0
  const send: Transport = async (request, patience) => {
    const nth = ++calls - from + 1
    if (nth <= 0) return healthy(request, patience)
    const look = async (method: string, body: Uint8Array | null) =>
      jsonOf((await healthy({ ...request, method, body }, patience)).body) as State
    const spoiled = await spoil({
      method: request.method,
      state: await look('GET', null),
      nth,
      advance(maxMs = Number.POSITIVE_INFINITY) {
        const asked = request.body === null ? null : (jsonOf(request.body) as { advanceMs: number }).advanceMs
        const body = asked === null ? null : new TextEncoder().encode(`{"advanceMs":${Math.min(asked, maxMs)}}`)
        return look(request.method, body)
      },
    })
    if (spoiled === 'reset') throw new TransportFailure('reset', 'the connection was reset')
    if (spoiled === 'silence') throw new TransportFailure('timeout', 'no complete response within 30000 ms')
    if ('status' in spoiled && typeof spoiled.status === 'number') return answer(spoiled.status, spoiled)
    return answer(200, { text: JSON.stringify(spoiled) })
  }
  return { send, calls: () => calls }
}

function answer(
  status: number,
  { headers = [], text = '' }: { headers?: [string, string][]; text?: string },
): WireResponse {
  return { status, headers, body: new TextEncoder().encode(text) }
}
