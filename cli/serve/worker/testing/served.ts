import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { defaultKeys } from '../../../../reference/index.ts'
import { createCommands } from '../../../shared/testing/commands.ts'
import type { Receiver } from './receiver.ts'

type Body = Readonly<Record<string, unknown>>

interface ClockState {
  readonly nowMs: number
  readonly nextMs: number | null
  readonly busy: readonly string[]
  readonly open: number
}

/** A served reference whose time a receiver moves by the rules of docs/clock.md. */
export async function drive(words: readonly string[], receiver: Receiver) {
  const commands = createCommands('worker')
  const { child, url } = await commands.serve(['--clock', 'control', ...words])
  const startMs = (await clock()).nowMs
  let unanswered = 0
  let jobs = 0

  async function clock(advanceMs?: number): Promise<ClockState> {
    const request = advanceMs === undefined ? {} : { method: 'POST', body: JSON.stringify({ advanceMs }) }
    return (await (await fetch(`${url}/plumbline/clock`, request)).json()) as ClockState
  }

  /** Gives what arrived since the moment of the response that came last. */
  function stamp(nowMs: number): void {
    for (const arrival of receiver.arrivals) arrival.atMs ??= nowMs - startMs
  }

  /** Waits until every call of the target is held here, and all that is due has been done. */
  async function rest(): Promise<ClockState> {
    for (;;) {
      const state = await clock()
      stamp(state.nowMs)
      const isAtRest = state.busy.every((id) => receiver.holding.has(id)) && state.open >= unanswered
      if (!isAtRest) {
        await nextTurn()
        continue
      }
      if (state.nextMs === null || state.nextMs > state.nowMs) return state
      stamp((await clock(0)).nowMs)
    }
  }

  async function pass(ms: number): Promise<void> {
    let { nowMs } = await rest()
    const untilMs = nowMs + ms
    while (nowMs < untilMs) {
      stamp((await clock(untilMs - nowMs)).nowMs)
      nowMs = (await rest()).nowMs
    }
  }

  async function operate(method: string, path: string, body?: object): Promise<Body> {
    unanswered++
    try {
      const response = await fetch(`${url}/v2/dedicated/${path}`, {
        method,
        headers: { authorization: `Bearer ${defaultKeys.full}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return (await response.json()) as Body
    } finally {
      unanswered--
    }
  }

  return {
    child,
    operate,
    pass,
    /** Submits a job with a beacon of its own, and waits for rest. */
    async submit(steps: readonly object[], more: object = {}) {
      const beacon = `/job-${jobs++}`
      const input = { plumbline: { v: 1, beacon: receiver.url + beacon, steps } }
      const { id } = await operate('POST', 'run', { input, ...more })
      await rest()
      const own = () => receiver.arrivals.filter(({ path }) => path.startsWith(`${beacon}/`))
      return {
        status: () => operate('GET', `status/${id}`),
        async act(action: string): Promise<void> {
          await operate('POST', `${action}/${id}`)
          await rest()
        },
        async release(key: string): Promise<void> {
          receiver.release(`${beacon}/hold/${key}`)
          await rest()
        },
        /** Its arrivals: path below the beacon, moment since the submission, and body. */
        heard: () => own().map(({ path, body }) => [path.slice(beacon.length + 1), body] as const),
        moments: () => own().map(({ atMs }, _, [first]) => (atMs ?? Number.NaN) - (first?.atMs ?? 0)),
      }
    },
    async end(signal: NodeJS.Signals): Promise<number | null> {
      const closed = once(child, 'close')
      child.kill(signal)
      const [code] = await closed
      commands.close()
      return code
    },
  }
}
