import type { RunClock } from '../clock/types.ts'
import { allPlanes } from '../planes/index.ts'
import type { Shared } from '../planes/owner.ts'
import type { Removable } from '../planes/plane.ts'
import { Blocked, Inconclusive, NotApplicable, Unanswered, Unclaimed } from '../rule/outcome.ts'
import { createOwner, type Owner } from './owner.ts'

/**
 * `all`: every pod is removed once its rule is done. `passed`: pods of failed rules stay. `none`: the target ends with
 * the run.
 */
export type Cleanup = 'all' | 'passed' | 'none'

/**
 * Removes what owners left behind and know the id of: deletes pods, cancels jobs that have not ended, and releases
 * keys. Everything else stays in the ledger of resources, and `sweepRun` looks for it after the run.
 */
export async function removeLeftovers(
  shared: Shared,
  clock: RunClock,
  owners: readonly Owner[],
  cleanup: Cleanup,
  failed: boolean,
): Promise<void> {
  try {
    if (clock.kind !== 'record') await remove(shared, clock, owners, cleanup, failed)
  } finally {
    // Other rules need the workers.
    for (const owner of owners) for (const side of owner.allAccess()) side.releaseAll?.()
  }
}

async function remove(
  shared: Shared,
  clock: RunClock,
  owners: readonly Owner[],
  cleanup: Cleanup,
  failed: boolean,
): Promise<void> {
  const keeps = cleanup === 'passed' && failed
  // Those that are created last go first: jobs before pods.
  const planes = allPlanes()
    .filter(({ creates }) => cleanup !== 'none' || creates?.isScarce === true)
    .reverse()
  const all = planes.flatMap((plane) =>
    owners.flatMap((owner) =>
      owner
        .access(plane)
        .removables()
        .map((leftover) => ({ plane, leftover })),
    ),
  )
  const isKept = ({ keep }: Removable) => keeps && keep !== undefined
  for (const { leftover } of all) if (isKept(leftover)) leftover.keep?.()
  const left = all.filter(({ leftover }) => !isKept(leftover))
  if (left.length === 0) return
  const actor = clock.actor('cleanup')
  const cleaner = createOwner(shared, `cleanup:${owners[0]?.name ?? ''}`, actor)
  try {
    for (const { plane, leftover } of left) await attempt(() => leftover.remove(cleaner.access(plane)))
  } catch (error) {
    if (!isExpected(error)) throw error
  } finally {
    actor.done()
  }
}

/**
 * Removes one resource. A failure does not stop the next removal, but a target that does not answer gets no more
 * requests.
 */
async function attempt(remove: () => Promise<void>): Promise<void> {
  try {
    await remove()
  } catch (error) {
    if (error instanceof Unanswered || !isExpected(error)) throw error
  }
}

function isExpected(error: unknown): boolean {
  return [Inconclusive, Blocked, Unclaimed, NotApplicable].some((kind) => error instanceof kind)
}
