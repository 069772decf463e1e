import type { Target } from '../../target/types.ts'
import type { Actor } from '../clock/types.ts'
import { ownerName } from '../exchange/owner-names.ts'
import type { Variation } from '../variation/variation.ts'
import type { PlaneOwner } from './access.ts'
import { createSharedPods, createVariedPods, type SharedPods } from './pods/fixtures/fixtures.ts'
import { createVariedJobs } from './queue/fixtures/varied-jobs.ts'
import type { Fixtures } from './types.ts'

/** Fixtures that several rules use. Each is made once, by its own owner. */
export type SharedFixtures = SharedPods

export function createSharedFixtures(target: Target, addOwner: (name: string) => PlaneOwner): SharedFixtures {
  const made = new Map<string, Promise<unknown>>()

  /** The first caller starts it. All callers wait without requesting time. */
  function makeOnce<T>(name: string, waiter: Actor, make: (owner: PlaneOwner) => Promise<T>): Promise<T> {
    let promise = made.get(name) as Promise<T> | undefined
    if (promise === undefined) {
      const owner = addOwner(ownerName('fixture', name))
      promise = make(owner).finally(() => owner.actor.done())
      promise.catch(() => {})
      made.set(name, promise)
    }
    return waiter.join(promise)
  }
  return createSharedPods(target, makeOnce)
}

/** The fixtures as one rule sees them. */
export function fixturesOf(target: Target, owner: PlaneOwner, shared: SharedFixtures, vary: Variation): Fixtures {
  return {
    ...createVariedPods(target, owner, shared, vary),
    ...createVariedJobs(owner.on('queue'), vary, owner),
  }
}
