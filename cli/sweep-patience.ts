import { createDirect } from '../harness/client/direct.ts'
import { outwait } from '../harness/client/outwait.ts'
import { openClock } from '../harness/clock/open.ts'
import { ClockFault } from '../harness/clock/state.ts'
import type { Actor, ClockControl, RunClock } from '../harness/clock/types.ts'
import type { WireRequest, WireResponse } from '../harness/exchange/exchange.ts'
import type { Plane } from '../harness/planes/plane.ts'
import { Inconclusive } from '../harness/rule/outcome.ts'
import { withTool } from '../harness/tool/transport.ts'
import { overHttp } from '../harness/transport/http.ts'
import { TransportFailure } from '../harness/transport/types.ts'
import type { PlaneSection, Target } from '../target/types.ts'
import { version } from './home.ts'
import { aborted } from './interrupt.ts'

/** A sweep that was asked to end. */
export interface SweepEnd {
  /** Aborted by the signal that ends the command. */
  readonly signal: AbortSignal
  /** Real ms for which the sweep goes on after it. */
  readonly goesOnMs: number
}

/** How long an interrupted command goes on cleaning up, real ms: a window of a minute. */
export const interruptedMs = 60_000

/** Real ms for a response once the command is interrupted. */
const hurriedMs = 5_000

/** Real ms after which a response is late: it may take controlled time. */
const lateMs = 200

/** Requests in a row without a response after which no more are sent. */
const givenUpAfter = 3

interface Sleeper {
  readonly clock: RunClock
  readonly actor: Actor
}

export type Patience = ReturnType<typeof createPatience>

/** Requests and waits of a sweep: every wait has an end. */
export function createPatience(target: Target, end?: SweepEnd) {
  const { answerMs, connectMs, rateWaitMs } = target.tolerances
  const http = overHttp({ connectMs, answerMs })
  /** A command of the deployment tool takes real time, and time stands still meanwhile. */
  const transport = withTool((request, patience) => advancingIfLate(http.send(request, patience)), target.deploy)
  const token = target.keys.full ?? ''
  const userAgent = `plumbline/${version()} (sweep)`
  const over = later(end?.signal, end?.goesOnMs ?? 0)
  const hurried = later(end?.signal, Math.min(hurriedMs, end?.goesOnMs ?? 0))
  /** Methods whose 429 did not pass. */
  const inVain = new Set<string>()
  let sleeper: Promise<Sleeper> | null = null
  /** A clock that was silent is not waited for again for each resource. */
  let isSilent = false
  let timeouts = 0
  const longMs = 0.9 * Math.min(connectMs, answerMs, hurriedMs)

  async function send(request: WireRequest): Promise<WireResponse> {
    if (over.aborted) throw new TransportFailure('abandoned', 'the command was interrupted before the request')
    if (timeouts >= givenUpAfter) {
      throw new TransportFailure('abandoned', `not sent, because ${timeouts} requests in a row had no response in time`)
    }
    const patience = end?.signal.aborted
      ? { answerMs: Math.min(hurriedMs, answerMs), signal: over }
      : { signal: hurried }
    const fromMs = performance.now()
    try {
      const answer = await transport(request, patience)
      timeouts = 0
      return answer
    } catch (error) {
      // A connection that is refused at once costs no time.
      if (error instanceof TransportFailure && performance.now() - fromMs >= longMs) timeouts++
      throw error
    }
  }

  /** Waits for a response, and advances the clock if it is late. */
  async function advancingIfLate(response: Promise<WireResponse>): Promise<WireResponse> {
    const advance = async () => {
      const { actor } = await opened()
      await actor.join(actor.hold(response))
    }
    // Without the clock the response may come all the same.
    const timer = target.clock === 'real' ? undefined : setTimeout(() => void advance().catch(() => {}), lateMs)
    try {
      return await response
    } finally {
      clearTimeout(timer)
    }
  }

  async function open(): Promise<Sleeper> {
    const tolerances = { ...target.tolerances, answerMs: Math.min(hurriedMs, answerMs) }
    const clock = await openClock({ clock: target.clock, tolerances }, { through: atRest })
    return { clock, actor: clock.actor('sweep') }
  }

  /** Waits on the clock of the target; false if its time cannot pass. */
  async function sleep(ms: number): Promise<boolean> {
    if (isSilent) return false
    try {
      await Promise.race([opened().then(({ actor }) => actor.sleep(ms)), aborted(over)])
      return !over.aborted
    } catch (error) {
      if (error instanceof Inconclusive) return false
      throw error
    }
  }

  /** The time on the clock of the target, ms; null if it cannot be read. */
  async function time(): Promise<number | null> {
    if (target.clock === 'real') return Date.now()
    if (isSilent) return null
    try {
      return (await opened()).clock.now()
    } catch (error) {
      if (error instanceof Inconclusive) return null
      throw error
    }
  }

  /** The clock of the target, opened once. A clock that fails now may be back for the next late response. */
  function opened(): Promise<Sleeper> {
    sleeper ??= open().then(
      (opened) => {
        isSilent = false
        return opened
      },
      (error: unknown) => {
        sleeper = null
        isSilent = error instanceof ClockFault && error.isSilent
        throw error
      },
    )
    return sleeper
  }

  async function patient(request: WireRequest): Promise<WireResponse> {
    const longestMs = inVain.has(request.method) ? 0 : rateWaitMs
    const response = await outwait(() => send(request), { longestMs, sleep })
    // A 429 that did not pass once is not waited out again for each of a hundred jobs.
    if (response.status === 429) inVain.add(request.method)
    return response
  }

  return {
    /**
     * The client of a plane. It sends as long as the target answers and the sweep may go on, and waits out each 429 for as
     * long as the target file allows, until one does not pass.
     */
    client: (plane: Plane, section: PlaneSection) =>
      createDirect({ transport: patient, plane, section, token, userAgent }),
    time,
    sleep,
    async close() {
      void sleeper?.then(({ clock }) => clock.close()).catch(() => {})
      await http.close()
    },
  }
}

/** Aborts so long after another signal, real ms. */
function later(signal: AbortSignal | undefined, ms: number): AbortSignal {
  const controller = new AbortController()
  if (signal !== undefined) void aborted(signal).then(() => setTimeout(() => controller.abort(), ms).unref())
  return controller.signal
}

/** The run is over: work still under way may go on, and does not keep time from moving. */
function atRest(control: ClockControl): ClockControl {
  const rest = { busy: [], open: Number.MAX_SAFE_INTEGER }
  return {
    state: async () => ({ ...(await control.state()), ...rest }),
    advance: async (ms) => ({ ...(await control.advance(ms)), ...rest }),
  }
}
