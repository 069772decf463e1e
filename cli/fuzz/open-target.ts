import type { RunClock } from '../../harness/clock/types.ts'
import type { Listener } from '../../harness/receiver/types.ts'
import { type Connected, connectHere, connectTo } from '../../harness/run/connect.ts'
import { createInstance } from '../../proof/instance.ts'
import type { Variant } from '../../proof/types.ts'
import { composeOptions } from '../../reference/options.ts'
import type { Target } from '../../target/types.ts'
import { UsageError } from '../shared/errors.ts'

/** A connected target with its clock and, for walks on jobs, the receiver of its workers. */
export interface OpenTarget extends Pick<Connected, 'target' | 'transport' | 'close'> {
  readonly clock: RunClock
  readonly listener?: Listener | null
}

/**
 * Opens a target over HTTP; `hears`: with its receiver. Rejects with ClockFault if its clock gives no state or cannot be moved,
 * and with UsageError if the receiver cannot be opened.
 */
export async function openTarget(target: Target, hears = false): Promise<OpenTarget> {
  const connected = await connectTo(target, { hears, ...(!hears && { connections: 1 }) })
  if (connected.deaf === null) return withClock(connected)
  await connected.close()
  throw new UsageError(connected.deaf)
}

/** A connected target with its clock, both closed by `close`. */
export async function withClock({ clockOf, close, ...connected }: Connected): Promise<OpenTarget> {
  try {
    const clock = await clockOf({})
    return {
      ...connected,
      clock,
      close: async () => {
        clock.close()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** The reference in this process without quotas, with the volumes and mounts of `like`, if given. */
export function openReference(like?: Target): Promise<OpenTarget> {
  const plane = like?.pods ?? null
  return openInProcess([
    {
      id: 'for-fuzzing',
      says: 'Quotas are not reached.',
      change: (options) => {
        const ids = [plane?.volume, plane?.volumeSecond].filter((id) => typeof id === 'string')
        const volumes = ids.map((id) => ({ id, dataCenterId: 'dc-1', size: 100 }))
        return composeOptions(options, {
          quotas: { minute: 1e12, hour: 1e12, day: 1e12 },
          ...(volumes.length === 0 ? {} : { volumes }),
        })
      },
      file: (own) => {
        if (own.pods === null || plane === null) return own
        const { volume, volumeSecond, volumePath, persistent } = plane
        const asked = { ...own.pods, volumePath, persistent: persistent ?? own.pods.persistent }
        return { ...own, pods: volume === null ? asked : { ...asked, volume, volumeSecond } }
      },
    },
  ])
}

/** The reference in this process with these variants, on a clock of its own. */
export async function openInProcess(variants: readonly Variant[]): Promise<OpenTarget> {
  return withClock(await connectHere(createInstance(variants)))
}
