import type { FuzzCase } from './cases.ts'
import { type Allowed, allowedText, type Situation } from './oracle.ts'

/** A way in which answers differ from what is allowed, and the simplest body that shows it. */
export interface FuzzFinding {
  readonly operation: Situation['operation']
  readonly mutator: string
  readonly place: string
  readonly expected: string
  readonly observed: string
  /** How often it was seen. */
  count: number
  /** Draws it again, with the target file. */
  readonly seed: number
  readonly path: string
  readonly bytes: Uint8Array
  /** What the body was sent to: `updatePod gpu network`. */
  readonly stage: string
}

/** What findings are grouped by: operation, mutator, expected and observed. */
export function fingerprintOf(
  operation: FuzzFinding['operation'],
  { mutator }: FuzzCase,
  allowed: readonly Allowed[],
  observed: string,
): string {
  return JSON.stringify([operation, mutator, allowedText(allowed), observed])
}
