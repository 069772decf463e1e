import type { FuzzFinding } from '../fuzz/findings.ts'
import { endOf, type WrongWalk } from './search.ts'

/** Keeps each finding of a walk once, and counts how often it is seen. */
export function createWalkKeeper(findings: Map<string, FuzzFinding>, seed: number) {
  return {
    isKnown(walk: WrongWalk): boolean {
      const known = findings.get(keyOf(walk))
      if (known !== undefined) known.count++
      return known !== undefined
    },
    keep(walk: WrongWalk, path: string): void {
      const { expected, observed } = walk
      const rest = { stage: 'walk', isPodless: false, isSeenLater: true, cases: [], count: 1 } as const
      findings.set(keyOf(walk), { operation: 'walk', expected, observed, walk, seed, path, ...rest })
    },
  }
}

/** The observation and the kind of the last step. */
function keyOf({ observed, calls, plane }: WrongWalk): string {
  const last = calls.at(-1)?.said.replace(/^[A-Z]: /, '') ?? ''
  return JSON.stringify([plane, endOf(last.split(':')[0] ?? ''), endOf(observed)])
}
