import type { RunClock } from '../clock/types.ts'
import { allPlanes } from '../planes/index.ts'
import type { RunServices } from '../planes/owner.ts'
import type { Removable } from '../planes/plane.ts'
import { Blocked, Inconclusive, NotApplicable, Unanswered, Unclaimed } from '../rule/outcome.ts'
import { createOwner, type Owner } from './owner.ts'

/**
 * Removes what owners left behind and know the id of: deletes pods and endpoints, cancels jobs that have not ended,
 * and releases keys. Everything else stays in the ledger of resources, and `sweepRun` looks for it after the run.
 * @param keeps true to keep the pods of a failed rule.
 */
export async function removeLeftovers(
  services: RunServices,
  clock: RunClock,
  owners: readonly Owner[],
  keeps: boolean,
): Promise<void> {
  try {
    if (clock.kind !== 'record') await remove(services, clock, owners, keeps)
  } finally {
    // Other rules need the workers.
    for (const owner of owners) for (const access of owner.allAccess()) access.releaseAll?.()
  }
}

async function remove(services: RunServices, clock: RunClock, owners: readonly Owner[], keeps: boolean): Promise<void> {
  // Those that are created last go first: jobs before pods.
  const planes = allPlanes().toReversed()
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
  const cleaner = createOwner(services, `cleanup:${owners[0]?.name ?? ''}`, actor)
  try {
    for (const { plane, leftover } of left) await removeOne(() => leftover.remove(cleaner.access(plane)))
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
async function removeOne(remove: () => Promise<void>): Promise<void> {
  try {
    await remove()
  } catch (error) {
    if (error instanceof Unanswered || !isExpected(error)) throw error
  }
}

function isExpected(error: unknown): boolean {
  return [Inconclusive, Blocked, Unclaimed, NotApplicable].some((kind) => error instanceof kind)
}
