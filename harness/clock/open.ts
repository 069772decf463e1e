import type { Target } from '../../target/types.ts'
import { overHttp } from '../transport/http.ts'
import { createControlClient } from './control-client.ts'
import { type ControlledClockOptions, createControlledClock } from './controlled.ts'
import { createRealClock } from './real.ts'
import { ClockFault, watchClock } from './state.ts'
import type { ClockControl, RunClock } from './types.ts'

export interface OpenClockOptions
  extends Pick<ControlledClockOptions, 'waited' | 'onLateResponse' | 'lateResponseMs' | 'busyLimitMs'> {
  /** Wraps the control of a controlled clock. */
  readonly through?: (control: ClockControl) => ClockControl
}

/** The clock that a target file names. Rejects with ClockFault if the clock gives no state or cannot be moved. */
export async function openClock(
  { clock: given, network, tolerances: { answerMs, connectMs } }: Pick<Target, 'clock' | 'network' | 'tolerances'>,
  { through = (control) => control, ...callbacks }: OpenClockOptions = {},
): Promise<RunClock> {
  if (given === 'real') return createRealClock(callbacks.waited)
  // Separate connections: requests that the target holds until time moves may take all others.
  const http = overHttp({ answerMs, connectMs, connections: 1, network })
  try {
    const control = through(createControlClient(given.url, http.send))
    const { nowMs } = await control.state()
    // A step of 0 ms runs what is due now; a real clock refuses it.
    const { nowMs: startMs } = watchClock(nowMs).moved(0, await control.advance(0))
    const clock = createControlledClock({ kind: 'remote', control, startMs, ...callbacks })
    return {
      ...clock,
      close() {
        clock.close()
        void http.close()
      },
    }
  } catch (error) {
    await http.close()
    throw error instanceof ClockFault ? error.at(given.url) : error
  }
}
