import type { Target } from '../../target/types.ts'
import type { ClockControl } from '../clock/types.ts'

/** An open target: a value to call in process, and its clock. */
export interface EmbeddedTarget {
  fetch(request: Request): Promise<Response>
  readonly control: ClockControl
  readonly target: Target
  /** Gives the target the receiver of its notifications and beacons; missing if it reaches none. */
  reach?(receive: (request: Request) => Promise<Response>): void
}
