import type { Target } from '../../target/types.ts'
import { overHttp } from '../transport/http.ts'
import { createControlClient } from './control-client.ts'
import { createControlledClock } from './controlled.ts'
import { createRealClock } from './real.ts'
import type { ClockControl, RunClock, Waited } from './types.ts'

export interface OpenClockOptions {
  readonly waited?: Waited
  /** Wraps the control of a controlled clock. */
  readonly through?: (control: ClockControl) => ClockControl
}

/** The clock that a target file names. Rejects with ClockFault if the clock gives no state. */
export async function openClock(
  { clock: given, tolerances: { answerMs, connectMs } }: Pick<Target, 'clock' | 'tolerances'>,
  { waited, through = (control) => control }: OpenClockOptions = {},
): Promise<RunClock> {
  if (given === 'real') return createRealClock(waited)
  // Separate connections: requests that the target holds until time moves may take all others.
  const http = overHttp({ answerMs, connectMs, connections: 1 })
  try {
    const control = through(createControlClient(given.url, http.send))
    const { nowMs: startMs } = await control.state()
    const clock = createControlledClock({ kind: 'remote', control, startMs, ...(waited && { waited }) })
    return {
      ...clock,
      close() {
        clock.close()
        void http.close()
      },
    }
  } catch (error) {
    await http.close()
    throw error
  }
}
