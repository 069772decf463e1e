import type { KeyName, Target } from '../../../target/types.ts'
import type { ApiResponse } from '../../client/api-response.ts'
import { lacksCapacity, type PodAccess, type Settle, type Settled } from './access.ts'
import type { PodClient } from './client.ts'

/** The pod API in the context of a rule. */
export interface PodShorthands {
  /** The pod API with the full key. */
  readonly pods: PodClient
  /** The pod API with another key. Throws Unclaimed or NotApplicable if the target has no such key. */
  as(key: KeyName): PodClient
  readonly settle: Settle
  /** Waits until a pod that was started while EXITED is RUNNING, or never will be. */
  readonly settleStarted: (id: string) => Promise<Settled>
  /** Waits until the quota of the pod API has room for so many requests, and keeps it: they follow each other at once. */
  reserve(requests: number): Promise<void>
  /** True if a response shows a lack of capacity (pattern of the target file). */
  lacksCapacity(response: ApiResponse): boolean
}

export function podShorthands(access: PodAccess, target: Target): PodShorthands {
  return {
    get pods() {
      return access.as('full')
    },
    as: access.as,
    settle: access.settle,
    settleStarted: access.settleStarted,
    reserve: access.reserve,
    lacksCapacity: (response) => lacksCapacity(target, response),
  }
}
