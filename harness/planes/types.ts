import type { LbShorthands } from './lb/shorthands.ts'
import type { PodFixtures } from './pods/fixtures/types.ts'
import type { PodShorthands } from './pods/shorthands.ts'
import type { JobFixtures } from './queue/fixtures/types.ts'
import type { QueueShorthands } from './queue/shorthands.ts'

/**
 * Pods and jobs to work with. All are created through the run's ledger of resources, named after the run, and removed
 * at its end. Rejects with Blocked if one cannot be made, Inconclusive for lack of capacity, Unclaimed if the target
 * does not offer it.
 */
export type Fixtures = PodFixtures & JobFixtures

/** Members of a rule's context that a plane adds. */
export type Shorthands = PodShorthands & QueueShorthands & LbShorthands
