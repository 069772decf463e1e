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

/** Findings with the same answer to what was to be answered in the same way: most often of one cause. */
export function groupsOf(findings: readonly FuzzFinding[]): FuzzFinding[][] {
  const groups = new Map<string, FuzzFinding[]>()
  for (const finding of [...findings].sort((a, b) => b.count - a.count)) {
    const { operation, expected, observed } = finding
    const key = JSON.stringify([operation, expected, observed])
    groups.set(key, [...(groups.get(key) ?? []), finding])
  }
  return [...groups.values()].sort((a, b) => timesOf(b) - timesOf(a))
}

/** How often a group of findings was seen. */
export function timesOf(group: readonly FuzzFinding[]): number {
  return group.reduce((sum, { count }) => sum + count, 0)
}

/** What a finding is told from others by: operation, mutator, expected and observed. */
export function fingerprintOf(
  operation: FuzzFinding['operation'],
  { mutator }: FuzzCase,
  allowed: readonly Allowed[],
  observed: string,
): string {
  return JSON.stringify([operation, mutator, allowedText(allowed), observed])
}
