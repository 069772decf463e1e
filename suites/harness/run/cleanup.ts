import type { RunClock } from '../clock/types.ts'
import { Blocked, Inconclusive, NotApplicable, Unclaimed } from '../outcome.ts'
import { listOf, membersOf, podOf } from '../read.ts'
import { createOwner, type Owner, type Shared } from './owner.ts'

/** `all`: every pod goes once its rule is done. `passed`: those of failed rules stay. `none`: the target dies with the run. */
export type Cleanup = 'all' | 'passed' | 'none'

/** Removes what owners have left. What cannot be removed stays in the ledger of resources, for `sweep`. */
export async function removeLeftovers(
  shared: Shared,
  clock: RunClock,
  owners: readonly Owner[],
  cleanup: Cleanup,
  failed: boolean,
): Promise<void> {
  const left = owners.flatMap((owner) => [...owner.left].map(([name, id]) => ({ owner, name, id })))
  if (cleanup === 'none' || clock.kind === 'record' || left.length === 0) return
  if (cleanup === 'passed' && failed) {
    for (const { name, id } of left) shared.resources({ kind: 'pod', name, id, state: 'kept' })
    for (const { owner } of left) owner.left.clear()
    return
  }
  const actor = clock.actor('cleanup')
  const cleaner = createOwner(shared, `cleanup:${owners[0]?.name ?? ''}`, actor)
  try {
    const unknown = new Set(left.filter(({ id }) => id === null).map(({ name }) => name))
    const found = unknown.size === 0 ? new Map<string, string>() : await idsOf(cleaner, shared, unknown)
    for (const { owner, name, id } of left) {
      const known = id ?? found.get(name)
      if (known !== undefined) {
        const { status } = await cleaner.pods.delete(known)
        if (status >= 300 && status !== 404) continue
      }
      owner.left.delete(name)
      shared.resources({ kind: 'pod', name, id: known ?? null, state: 'removed' })
    }
  } catch (error) {
    const expected = [Inconclusive, Blocked, Unclaimed, NotApplicable]
    if (!expected.some((kind) => error instanceof kind)) throw error
  } finally {
    actor.done()
  }
}

async function idsOf(cleaner: Owner, shared: Shared, names: ReadonlySet<string>): Promise<Map<string, string>> {
  const reply = await cleaner.pods.list()
  const pods = listOf(reply.json, shared.target.pods?.listAt ?? '') ?? []
  const found = new Map<string, string>()
  for (const value of pods) {
    const name = membersOf(value)?.name
    const pod = podOf(value, reply.exchange.n)
    if (typeof name === 'string' && names.has(name) && pod !== null) found.set(name, pod.id)
  }
  return found
}
