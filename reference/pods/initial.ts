import type { Caller } from '../auth/accounts.ts'
import { Refusal } from '../http/refusal.ts'
import { OptionError, type OptionFault } from '../option-error.ts'
import { place } from './lifecycle.ts'
import type { PodStatus } from './pod.ts'
import type { PodService } from './service.ts'

/** A pod that exists from the beginning. */
export interface PodOffer {
  /** The body of its creation. */
  readonly body: unknown
  /** Default: PROVISIONING, from which it goes on as after a creation. */
  readonly status?: Exclude<PodStatus, 'TERMINATED'>
}

/**
 * Creates pods without a request, so that no quota counts them.
 * @throws OptionError for bodies that a creation refuses, a line for each.
 */
export function createInitialPods(offers: readonly PodOffer[], caller: Caller, service: PodService): void {
  const faults: OptionFault[] = []
  for (const [index, { body, status = 'PROVISIONING' }] of offers.entries()) {
    try {
      const pod = service.parts.createPod(body, caller, service)
      if (status !== pod.status) place(pod, status, service)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const why = error.errors.length > 0 ? error.errors.join('; ') : error.message
      faults.push([`pods[${index}]`, `the body of a creation, which this is not (${why})`, body])
    }
  }
  const [first, ...others] = faults
  if (first !== undefined) throw new OptionError(...first, others)
}
