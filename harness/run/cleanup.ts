import type { RunClock } from '../clock/types.ts'
import { isSuccess } from '../exchange/exchange.ts'
import { Blocked, Inconclusive, NotApplicable, Unanswered, Unclaimed } from '../rule/outcome.ts'
import { finalStatuses, statusOf } from './own-jobs.ts'
import { createOwner, type Owner, type Shared } from './owner.ts'

/** `all`: every pod goes once its rule is done. `passed`: those of failed rules stay. `none`: the target dies with the run. */
export type Cleanup = 'all' | 'passed' | 'none'

/**
 * Removes what owners have left and know the id of: pods are deleted, jobs that have not ended cancelled, and whatever
 * waits for a key goes on. Everything else stays in the ledger of resources: `sweepRun` looks for it once the run is over.
 */
export async function removeLeftovers(
  shared: Shared,
  clock: RunClock,
  owners: readonly Owner[],
  cleanup: Cleanup,
  failed: boolean,
): Promise<void> {
  try {
    if (cleanup !== 'none' && clock.kind !== 'record')
      await remove(shared, clock, owners, cleanup === 'passed' && failed)
  } finally {
    // Other rules need the workers.
    for (const { queue } of owners) queue.releaseAll()
  }
}

async function remove(shared: Shared, clock: RunClock, owners: readonly Owner[], keepPods: boolean): Promise<void> {
  const pods = owners.flatMap((owner) => [...owner.left].map(([name, id]) => ({ owner, name, id })))
  const jobs = owners.flatMap(({ queue }) => queue.unfinished().map((job) => ({ queue, ...job })))
  if (keepPods) {
    for (const { name, id } of pods) shared.resources({ kind: 'pod', name, id, state: 'kept' })
    for (const { owner } of pods) owner.left.clear()
  }
  const left = keepPods ? [] : pods
  if (left.length + jobs.length === 0) return
  const actor = clock.actor('cleanup')
  const cleaner = createOwner(shared, `cleanup:${owners[0]?.name ?? ''}`, actor)
  try {
    for (const { queue, name, endpoint, id } of jobs) {
      if (id === null) continue
      const client = cleaner.queue.as('full').at(endpoint)
      const isOver = async () => finalStatuses.has(statusOf(await client.status(id)))
      await attempt(async () => {
        // Most have ended by now, and /status is granted twenty times as often as /cancel.
        if ((await isOver()) || isSuccess((await client.cancel(id)).status) || (await isOver())) queue.forget(name)
      })
    }
    for (const { owner, name, id } of left) {
      if (id === null) continue
      await attempt(async () => {
        const { status } = await cleaner.pods.delete(id)
        if (!isSuccess(status) && status !== 404 && status !== 410) return
        owner.left.delete(name)
        shared.resources({ kind: 'pod', name, id, state: 'removed' })
      })
    }
  } catch (error) {
    if (!isExpected(error)) throw error
  } finally {
    actor.done()
  }
}

/** Removes one thing. What hinders it may not hinder the next; a target that does not answer is asked nothing more. */
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
