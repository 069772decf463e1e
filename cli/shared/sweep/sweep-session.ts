import { openClock } from '../../../harness/clock/open.ts'
import { createRealClock } from '../../../harness/clock/real.ts'
import { ClockFault } from '../../../harness/clock/state.ts'
import type { ClockControl, RunClock } from '../../../harness/clock/types.ts'
import { noRecorder } from '../../../harness/record/recorder.ts'
import type { Resource } from '../../../harness/record/resources.ts'
import type { End, RemovalOptions } from '../../../harness/run/removal.ts'
import { createSession } from '../../../harness/run/session.ts'
import { withTool } from '../../../harness/tool/transport.ts'
import { overHttp } from '../../../harness/transport/http.ts'
import type { Target } from '../../../target/types.ts'
import { aborted } from '../interrupt.ts'
import { version } from '../package-paths.ts'

/** A sweep that was asked to end. */
export interface SweepEnd {
  /** Aborted by the signal that ends the command. */
  readonly signal: AbortSignal
  /** Real ms for which the sweep goes on after it. */
  readonly goesOnMs: number
}

/** How long an interrupted command goes on cleaning up, real ms: a window of a minute. */
export const interruptedMs = 60_000

/** Real ms for a response once the command is interrupted, and for one of the clock. */
const hurriedMs = 5_000

/** Real ms after which a response is late: it may take controlled time. */
const lateMs = 200

/** The session that removes what a run has left. Every wait in it has an end. */
export async function openSweep(target: Target, run: string, end?: SweepEnd) {
  const { answerMs, connectMs } = target.tolerances
  const over = later(end?.signal, end?.goesOnMs ?? 0)
  const hurried = later(end?.signal, Math.min(hurriedMs, end?.goesOnMs ?? 0))
  const http = overHttp({ connectMs, answerMs, network: target.network })
  const hurriedAnswerMs = Math.min(hurriedMs, answerMs)
  const { clock, isTimed } = await clockOf(target, hurriedAnswerMs)
  const session = createSession({
    runId: run,
    version: version(),
    seed: 0,
    target,
    transport: withTool((request, patience) => {
      const isHurried = end?.signal.aborted === true
      const signal = isHurried ? over : hurried
      return http.send(request, { ...patience, signal, answerMs: isHurried ? hurriedAnswerMs : answerMs })
    }, target.deploy),
    clock,
    recorder: noRecorder,
    resources: () => {},
    rules: [],
    wallNow: () => Date.now(),
  })
  return {
    sweep: (wanted: readonly Resource[], lists: Pick<RemovalOptions, 'emptied' | 'kept'> = {}): Promise<End[]> =>
      session.sweep(wanted, { isLater: true, isTimed, over, ...lists }),
    async close(): Promise<void> {
      clock.close()
      await http.close()
    },
  }
}

/** The clock of the target. If it fails, no time passes, and no moment is known. */
async function clockOf(target: Target, answerMs: number): Promise<{ clock: RunClock; isTimed: boolean }> {
  const tolerances = { ...target.tolerances, answerMs }
  try {
    const clock = await openClock({ ...target, tolerances }, { through: atRest, lateResponseMs: lateMs })
    return { clock, isTimed: true }
  } catch (error) {
    if (!(error instanceof ClockFault)) throw error
    return { clock: createRealClock(undefined, error), isTimed: false }
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
