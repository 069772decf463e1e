import { createControlClient } from '../../../harness/clock/control-client.ts'
import { openClock } from '../../../harness/clock/open.ts'
import { createRealClock } from '../../../harness/clock/real.ts'
import { ClockFault } from '../../../harness/clock/state.ts'
import { urlsOf } from '../../../harness/planes/index.ts'
import { Inconclusive } from '../../../harness/rule/outcome.ts'
import { overHttp } from '../../../harness/transport/http.ts'
import { type Transport, TransportFailure } from '../../../harness/transport/types.ts'
import { clockPath } from '../../../reference/clock/control-endpoint.ts'
import type { Target } from '../../../target/types.ts'
import { isLoopback } from '../../../target/values.ts'
import { UsageError } from '../errors.ts'

/** Real ms between two readings: a controlled clock does not move in them, a real one does. */
const lookMs = 50
/** Real ms after which a server on this machine that does not answer at the clock's address has no clock. */
const answerMs = 2_000

/**
 * Throws UsageError if the target file gives no clock but `plumbline serve --clock control` serves the target: there
 * time never moves by itself, and rules that wait would be judged wrongly.
 */
export async function refuseStandingClock(target: Target): Promise<void> {
  const url = await standingClock(target)
  if (url === null) return
  throw new UsageError(
    `the clock at ${url.slice(0, -clockPath.length)} does not move, and the target file gives no clock; use the file that plumbline serve prints, add clock: {url: ${url}}, or serve it with --clock real`,
  )
}

/**
 * The address of a clock that only its control moves, if the target file gives no clock; null if there is none. Only a server on
 * this machine is asked.
 */
export async function standingClock(target: Target): Promise<string | null> {
  const own = urlsOf(target).filter((url) => URL.canParse(url) && isLoopback(new URL(url).hostname))
  if (target.clock !== 'real' || own.length === 0) return null
  const http = overHttp({ connectMs: answerMs, answerMs, network: target.network })
  try {
    for (const base of own) if (await isStanding(base + clockPath, http.send)) return base + clockPath
    return null
  } finally {
    await http.close()
  }
}

/** Throws UsageError if the controlled clock gives a wrong response. It may give none: a target need not run to be planned. */
export async function refuseFaultyClock(target: Target): Promise<void> {
  const tolerances = { ...target.tolerances, answerMs }
  try {
    ;(await openClock({ ...target, tolerances })).close()
  } catch (error) {
    if (!(error instanceof ClockFault)) throw error
    if (!error.isSilent) throw new UsageError(error.message)
  }
}

/** True if two readings of a clock, some real time apart, are the same. */
async function isStanding(url: string, send: Transport): Promise<boolean> {
  const { state } = createControlClient(url, send)
  const clock = createRealClock()
  const actor = clock.actor('look')
  try {
    const { nowMs } = await state()
    await actor.sleep(lookMs)
    return (await state()).nowMs === nowMs
  } catch (error) {
    // No such address, or no server; the next request reports it.
    if (error instanceof Inconclusive || error instanceof TransportFailure) return false
    throw error
  } finally {
    actor.done()
    clock.close()
  }
}
