import {
  composeOptions,
  createControlHandler,
  createControlledClock,
  createRealClock,
  createReference,
  type Fetch,
  OptionError,
  type ReferenceOptions,
  splitUrl,
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
  let current = begin(kind, change, Date.now())
  return {
    fetch: (request) => current.fetch(request),
    control: (request) => current.control(request),
    reset() {
      const nowMs = current.nowMs()
      current.close()
      current = begin(kind, change, nowMs)
    },
    close: () => current.close(),
  }
}

function begin(kind: 'real' | 'control', change: (base: ReferenceOptions) => ReferenceOptions, startMs: number) {
  if (kind === 'control') {
    const controlled = createControlledClock(startMs)
    const { clock } = controlled
    const { fetch, close } = make(change({ clock }))
    return { fetch: controlled.wrap(fetch), control: createControlHandler(controlled), nowMs: clock.now, close }
  }
  const clock = createRealClock()
  const reference = make(change({ clock }))
  const close = () => {
    reference.close()
    clock.close()
  }
  return { fetch: reference.fetch, control: createControlHandler(clock), nowMs: clock.now, close }
}

function make(options: ReferenceOptions) {
  try {
    return createReference(options)
  } catch (error) {
    if (error instanceof OptionError) throw new UsageError(error.message)
    throw error
  }
}

/** Nobody may advance the clock for it, so it has no latency. */
export const documentPath = '/openapi.json'

/** Each answer comes so many ms later, on the clock of the reference, except while it is off. */
export function withLatency(options: ReferenceOptions, ms: number, isOff = () => false): ReferenceOptions {
  const wrapFetch =
    (fetch: Fetch): Fetch =>
    async (request) => {
      if (!isOff() && splitUrl(request.url).pathname !== documentPath) await wait(ms, options)
      return fetch(request)
    }
  return ms === 0 ? options : composeOptions(options, { wrapFetch })
}
