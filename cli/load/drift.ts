import type { Window, Windows } from '../../load/mixed/windows.ts'
import { isServed, type Point } from '../../load/points.ts'
import {
  type Answer,
  type CompareOptions,
  compareRounds,
  type Measure,
  type Measures,
  type RoundValues,
} from '../shared/comparison/compare.ts'

/** Windows of a soak, of which the first third is compared with the last. */
export const soakWindows = 24
export const comparedWindows = soakWindows / 3

const measures = {
  latency: { title: 'latency' },
  errors: { title: 'errors', isShare: true },
  limited: { title: '429', isShare: true },
} as const satisfies Measures

/** One in ten that stays is found before it is a million. */
const ofCreated = { isShare: true, minDifference: 0.1 } as const

const ofJobs: Measure = { ...ofCreated, title: 'unfinished jobs', of: 'the submitted jobs' }

/** Operations whose responses show unfinished jobs or pods, and the operations that create them. */
const counting: Readonly<Record<string, { readonly measure: Measure; readonly created: readonly string[] }>> = {
  health: { measure: ofJobs, created: ['run', 'runsync'] },
  requests: { measure: ofJobs, created: ['run', 'runsync'] },
  listPods: { measure: { ...ofCreated, title: 'pods', of: 'the created pods' }, created: ['createPod'] },
}

/** The measures of an operation in a load of these operations. One that creates nothing leaves nothing. */
export function measuresIn(operations: Windows['operations']): (operation: string) => Measures {
  return (operation) => {
    const counted = counting[operation]
    const isCounted = counted?.created.some((name) => Object.hasOwn(operations, name)) === true
    return counted === undefined || !isCounted ? measures : { ...measures, unfinished: counted.measure }
  }
}

/** The first third of the windows compared with the last: latency, errors and 429 of each operation, and unfinished jobs and pods. */
export function driftIn(
  { operations, points, fromMs, lengthMs }: Windows,
  options: Pick<CompareOptions, 'seed' | 'tolerance'>,
): Answer[] {
  const halfMs = (comparedWindows / 2) * lengthMs
  const between = points.filter(
    ({ sentMs }) => sentMs >= fromMs + halfMs && sentMs < fromMs + soakWindows * lengthMs - halfMs,
  )
  const sideOf = (part: (windows: readonly Window[]) => readonly Window[]) =>
    Object.fromEntries(
      Object.entries(operations).map(([operation, windows]) => {
        const created = createdIn(between, counting[operation]?.created ?? [])
        return [operation, part(windows).map((window) => valuesOf(window, created))]
      }),
    )
  const first = sideOf((windows) => windows.slice(0, comparedWindows))
  const last = sideOf((windows) => windows.slice(-comparedWindows))
  return compareRounds(first, last, { measuresOf: measuresIn(operations), isPaired: false, ...options })
}

/** Jobs or pods that were created; 1 at least, because it divides. */
function createdIn(points: readonly Point[], operations: readonly string[]): number {
  return Math.max(1, points.filter((point) => operations.includes(point.operation) && isServed(point)).length)
}

function valuesOf({ requests, latency, errors, limited, unfinished }: Window, created: number): RoundValues {
  const isEmpty = requests === 0
  return {
    latency: latency?.p50 ?? null,
    errors: isEmpty ? null : errors,
    limited: isEmpty ? null : limited,
    unfinished: unfinished === null ? null : unfinished / created,
  }
}
