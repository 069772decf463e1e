import type { Walked } from '../walk/walk.ts'
import { caseSaid, type FuzzCase } from './cases.ts'
import { allowedText } from './oracle.ts'
import type { Subject } from './stages.ts'
import type { Seen, Steps } from './steps.ts'
import type { Trial } from './trial.ts'

/** Bodies whose responses or effects are not allowed, as a new pod has shown: most often one, as simple as it can be. */
export interface FuzzFinding {
  readonly operation: Trial['operation'] | 'walk'
  /** Of a walk the steps that show it; it has no cases. */
  readonly walk?: Walked
  /** The subject of the bodies, a new one: `updatePod gpu network`. */
  readonly stage: string
  /** True if they were sent to a pod that does not exist, because the target made none. */
  readonly isPodless: boolean
  readonly expected: string
  readonly observed: string
  /** True if the responses are as expected, and the pod shows the failure. */
  readonly isSeenLater: boolean
  /** In the order in which they are to be sent. */
  readonly cases: readonly Omit<FuzzCase, 'simpler'>[]
  /** Draws the cases again, with the seed and the target file. */
  readonly seed: number
  readonly path: string
  /** How often it was seen. */
  count: number
}

/** Keeps each finding once, and counts how often it is seen. */
export function createKeeper(findings: Map<string, FuzzFinding>, seed: number): Pick<Steps, 'keep' | 'isKnown'> {
  const keyOf = ({ trial }: Subject, { cases, allowed, observed }: Seen) => {
    const mutators = cases.map(({ one }) => one.mutator)
    return JSON.stringify([trial.operation, mutators, allowedText(allowed), observed])
  }

  function isKnown(subject: Subject, seen: Seen): boolean {
    const known = findings.get(keyOf(subject, seen))
    if (known !== undefined) known.count++
    return known !== undefined
  }

  return {
    isKnown,
    keep(subject, seen) {
      if (isKnown(subject, seen)) return
      const { cases, allowed, observed, also, isPodless = false } = seen
      findings.set(keyOf(subject, seen), {
        operation: subject.trial.operation,
        stage: subject.name,
        isPodless,
        expected: [allowedText(allowed), also ?? ''].filter((text) => text !== '').join(', and then '),
        observed,
        isSeenLater: also !== undefined,
        cases: cases.map(({ one: { mutator, place, bytes } }) => ({ mutator, place, bytes })),
        seed,
        path: cases.map(({ path }) => path).join(),
        count: 1,
      })
    },
  }
}

/** The cases of a finding in words, or the steps of its walk, in their order. */
export function findingSaid({ cases, walk }: Pick<FuzzFinding, 'cases' | 'walk'>): string {
  if (walk !== undefined) return walk.calls.map(({ said }) => said).join(', ')
  return cases.map((one) => `${caseSaid(one)} (${one.mutator})`).join('; then ')
}

/** Findings with the same response where the same one was allowed: most often of one cause. */
export function groupsOf(findings: readonly FuzzFinding[]): FuzzFinding[][] {
  const sorted = [...findings].sort((a, b) => b.count - a.count)
  const groups = Map.groupBy(sorted, (one) => JSON.stringify([one.operation, one.expected, one.observed]))
  return [...groups.values()].sort((a, b) => timesOf(b) - timesOf(a))
}

/** How often a group of findings was seen. */
export function timesOf(group: readonly FuzzFinding[]): number {
  return group.reduce((sum, { count }) => sum + count, 0)
}
