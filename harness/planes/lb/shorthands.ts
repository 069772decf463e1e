import type { KeyName } from '../../../target/types.ts'
import type { Beacon } from '../../receiver/types.ts'
import type { LbAccess } from './access.ts'
import type { LbClient } from './client.ts'

/** The load-balanced endpoints in the context of a rule. */
export interface LbShorthands {
  /** The normal load-balanced endpoint with the full key. */
  readonly lb: LbClient
  /** The same with another key. Throws Unclaimed or NotApplicable if the target has no such key. */
  lbAs(key: KeyName): LbClient
  /** A beacon for one request to a load-balanced endpoint. Throws Unclaimed or NotApplicable without a receiver. */
  beacon(): Beacon
}

export function lbShorthands(access: LbAccess): LbShorthands {
  return {
    get lb() {
      return access.as('full')
    },
    lbAs: access.as,
    beacon: access.beacon,
  }
}
