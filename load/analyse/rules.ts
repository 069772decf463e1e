import type { RateOperation } from '../../generated/tables.ts'

/** The rules of the ledger that recorded load can decide. */
export type LoadRule =
  | `limits.queue.${RateOperation}`
  | `limits.queue.concurrent-${Exclude<RateOperation, 'purge'>}`
  | `limits.queue.${'recovers' | 'status-429' | 'per-operation' | 'per-endpoint'}`
  | `limits.pods.${'headers-on-success' | 'retry-after' | 'retry-after-honest'}`
