import type { Target } from '../../target/types.ts'
import type { PlaneOwner } from './access.ts'
import { lbShorthands } from './lb/shorthands.ts'
import { podShorthands } from './pods/shorthands.ts'
import { queueShorthands } from './queue/shorthands.ts'
import type { Shorthands } from './types.ts'

/** Adds the shorthands of all planes to an object; clients are made on first use, because a target may lack their plane. */
export function addShorthands<T extends object>(to: T, owner: PlaneOwner, target: Target): T & Shorthands {
  const all = [
    podShorthands(owner.on('pods'), target),
    queueShorthands(owner.on('queue')),
    lbShorthands(owner.on('lb')),
  ]
  for (const one of all) Object.defineProperties(to, Object.getOwnPropertyDescriptors(one))
  return to as T & Shorthands
}
