import type { ReferenceClock } from '../../reference/clock/types.ts'
import {
  createControlHandler,
  createControlledClock,
  createRealClock,
  createReference,
  type Fetch,
  OptionError,
  type ReferenceOptions,
  wait,
} from '../../reference/index.ts'
import { UsageError } from '../shared/errors.ts'

/** `change` gives the options of the reference, the clock aside; `latencyMs` delays each response, on its clock. */
interface ServedOptions {
  readonly kind: 'real' | 'control'
  /** Where the time of a controlled clock begins; default: now. */
  readonly startMs?: number
  readonly latencyMs?: number
  change(base: ReferenceOptions): ReferenceOptions
}

export type Served = ReturnType<typeof createServed>

/**
 * The reference of `serve`, which can begin again, with the control of its clock.
 * @throws UsageError for options that contradict each other.
 */
export function createServed(options: ServedOptions) {
  let current = begin(options, options.startMs ?? Date.now())
  return {
    fetch: (request: Request) => current.fetch(request),
    /** Answers without the latency, for what must not wait until somebody advances the clock. */
    direct: (request: Request) => current.direct(request),
    control: (request: Request) => current.control(request),
    nowMs: () => current.nowMs(),
    /** The options of the reference. */
    options: () => current.options,
    /** Forgets all pods, jobs, endpoints and quotas. A controlled clock keeps its time. */
    reset() {
      const nowMs = current.nowMs()
      current.close()
      current = begin(options, nowMs)
    },
    close: () => current.close(),
  }
}

function begin({ kind, latencyMs = 0, change }: ServedOptions, startMs: number) {
  const real = createRealClock()
  const controlled = kind === 'control' ? createControlledClock(startMs) : null
  const clock = controlled?.clock ?? real
  const options = change({ clock })
  const { fetch, close } = make(options)
  const wrap = controlled?.wrap ?? ((fetch: Fetch) => fetch)
  return {
    options,
    // Within the clock, so that a delayed request counts as open.
    fetch: wrap(late(fetch, clock, latencyMs)),
    direct: wrap(fetch),
    control: createControlHandler(controlled ?? real),
    nowMs: clock.now,
    close() {
      close()
      real.close()
    },
  }
}

/** Each response comes `ms` later, on the clock. */
function late(fetch: Fetch, clock: ReferenceClock, ms: number): Fetch {
  if (ms === 0) return fetch
  return async (request) => {
    await wait(ms, { clock })
    return fetch(request)
  }
}

function make(options: ReferenceOptions) {
  try {
    return createReference(options)
  } catch (error) {
    if (!(error instanceof OptionError)) throw error
    throw new UsageError(error.message)
  }
}
