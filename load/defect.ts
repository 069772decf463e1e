import type { RuleId } from '../generated/rules.ts'
import { composeOptions, type ReferenceOptions } from '../reference/index.ts'

/** A change of the reference that breaks a rule of load. */
export interface LoadDefect {
  readonly id: string
  /** The fault, as one sentence. */
  readonly says: string
  /** The rule that must fail on it, beside those in which it shows as well. */
  readonly rule: RuleId
  readonly change: (options: ReferenceOptions) => ReferenceOptions
  /** The sentence of the verdict. */
  readonly observed: RegExp
  /**
   * Where it shows: on endpoints whose workers answer at once, or raise limits, or where every response takes its time;
   * else anywhere.
   */
  readonly shows?: 'workers' | 'raising' | 'slow'
  /** Another operation has the same judge, which is tried with more limiters there. */
  readonly isAlike?: boolean
}

/** Replaces each 429 with another response. */
export function rewrites429(rewrite: (response: Response, request: Request) => Response | Promise<Response>) {
  return (options: ReferenceOptions): ReferenceOptions =>
    composeOptions(options, {
      wrapFetch: (fetch) => async (request) => {
        const response = await fetch(request)
        return response.status === 429 ? rewrite(response, request) : response
      },
    })
}
