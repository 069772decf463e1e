import {
  composeOptions,
  createControlHandler,
  createControlledClock,
  createRealClock,
  createReference,
  type Fetch,
  OptionError,
  type ReferenceOptions,
  wait,
} from '../../reference/index.ts'
import { UsageError } from '../errors.ts'

/** A reference that can begin again, with the control of its clock. */
export interface Served {
  readonly fetch: Fetch
  readonly control: Fetch
  /** Forgets all pods, jobs, endpoints and quotas. A controlled clock keeps its time. */
  reset(): void
  close(): void
}

/**
 * Makes the reference of `serve`. `change` gives its options, the clock aside.
 * @throws UsageError for options that contradict each other.
 */
export function createServed(kind: 'real' | 'control', change: (base: ReferenceOptions) => ReferenceOptions): Served {
  const begin = kind === 'real' ? beginReal : beginControlled
  let current = begin(change, Date.now())
  return {
    fetch: (request) => current.fetch(request),
    control: (request) => current.control(request),
    reset() {
      const { nowMs } = current
      current.close()
      current = begin(change, nowMs())
    },
    close: () => current.close(),
  }
}

interface Begun extends Omit<Served, 'reset'> {
  nowMs(): number
}

function beginReal(change: (base: ReferenceOptions) => ReferenceOptions): Begun {
  const clock = createRealClock()
  const reference = make(change({ clock }))
  return {
    fetch: reference.fetch,
    control: createControlHandler(clock),
    nowMs: () => clock.now(),
    close() {
      reference.close()
      clock.close()
    },
  }
}

function beginControlled(change: (base: ReferenceOptions) => ReferenceOptions, startMs: number): Begun {
  const controlled = createControlledClock(startMs)
  const reference = make(change({ clock: controlled.clock }))
  return {
    fetch: controlled.wrap(reference.fetch),
    control: createControlHandler(controlled),
    nowMs: () => controlled.clock.now(),
    close: () => reference.close(),
  }
}

function make(options: ReferenceOptions) {
  try {
    return createReference(options)
  } catch (error) {
    if (error instanceof OptionError) throw new UsageError(error.message)
    throw error
  }
}

/** Each answer comes so many ms later, on the clock of the reference. */
export function withLatency(options: ReferenceOptions, ms: number): ReferenceOptions {
  const wrapFetch =
    (fetch: Fetch): Fetch =>
    async (request) => {
      await wait(ms, options)
      return fetch(request)
    }
  return ms === 0 ? options : composeOptions(options, { wrapFetch })
}
