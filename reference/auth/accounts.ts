import type { Operation } from '../operations.ts'

/** The permissions of a key: every operation, or those named by their operationId. */
type Permissions = '*' | readonly Operation[]

interface Key {
  readonly token: string
  readonly state: 'valid' | 'expired'
  readonly permissions: Permissions
}

/** A user and the keys that act for it; quotas and pods belong to the user. */
export interface Account {
  readonly user: string
  readonly keys: readonly Key[]
}

/** The user that a request acts for, and what its key permits. */
export interface Caller {
  readonly user: string
  readonly permissions: Permissions
}

/** A key as it is looked up by its token. */
export interface IssuedKey extends Caller {
  readonly state: Key['state']
}

/** The bearer tokens of `defaultAccounts`: published, and no secret, for they open nothing else. */
export const defaultKeys = {
  /** May do everything. */
  full: 'plumbline-example-full',
  /** Another key of the same user. */
  second: 'plumbline-example-second',
  /** Of the same user too; may list and read pods and the CPU catalog, and nothing else. */
  restricted: 'plumbline-example-restricted',
  /** Of the same user, no longer valid. */
  expired: 'plumbline-example-expired',
  /** May do everything, for another user. */
  stranger: 'plumbline-example-stranger',
} as const

/** Two users, with the keys of `defaultKeys`. */
export const defaultAccounts: readonly Account[] = [
  {
    user: 'user-1',
    keys: [
      { token: defaultKeys.full, state: 'valid', permissions: '*' },
      { token: defaultKeys.second, state: 'valid', permissions: '*' },
      { token: defaultKeys.restricted, state: 'valid', permissions: ['listPods', 'getPod', 'listCpuFlavors'] },
      { token: defaultKeys.expired, state: 'expired', permissions: '*' },
    ],
  },
  { user: 'user-2', keys: [{ token: defaultKeys.stranger, state: 'valid', permissions: '*' }] },
]
