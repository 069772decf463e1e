import { enumeratedOf, podlessFrom, type Stage } from './stages.ts'

export interface ScheduleOptions {
  /** Where to begin: what is enumerated is tried by one branch only. */
  readonly from: 'enumeration' | 'random'
  readonly isTimeFree: boolean
  /** Bodies that may go to a pod that does not exist while pods are made; any number unless given. */
  readonly mostPodless?: number
}

/** The order of the cases of one campaign, by their numbers. */
export interface Schedule {
  /** The next case; waits if no stage has a pod and no more bodies may go without one. */
  next(): Promise<number>
  /** The case that would be next now; null if that is not known. */
  peek(): number | null
  /** Puts a case back whose stage has lost its pod. */
  giveBack(stage: Stage, run: number): void
}

/**
 * Orders the cases: all that are enumerated, then random ones of each stage in turn. If pods take real time, a stage has
 * its turn when its pod is there: all pods are begun at once, and until the first is there bodies go to a pod that does
 * not exist. `begin` starts to make the pod of a stage and resolves when that has ended.
 */
export function createSchedule(
  all: readonly Stage[],
  { from, isTimeFree, mostPodless = Number.POSITIVE_INFINITY }: ScheduleOptions,
  begin: (stage: Stage) => Promise<void>,
): Schedule {
  const whole = enumeratedOf(all)
  const first = from === 'enumeration' ? 0 : whole
  if (isTimeFree) return inTurn(first)
  const stages = all.filter(({ isPodless }) => !isPodless)
  const ways = stages.map((stage, at) => ({
    stage,
    left: runsOf(stages, at, first),
    drawn: 0,
    returned: [] as number[],
  }))
  let turn = 0
  let podlessSent = 0

  /** The case that is next, and what takes it; null if every stage waits for its pod. */
  function pick(): readonly [run: number, take: () => void] | null {
    const ready = ways.filter(({ stage }) => isReady(stage))
    const enumerated = ready.find(({ returned, left }) => returned.length + left.length > 0)
    if (enumerated !== undefined) {
      const { returned, left } = enumerated
      const queue = returned.length > 0 ? returned : left
      return [queue[0] ?? 0, () => void queue.shift()]
    }
    const way = ready[turn % ready.length]
    if (way !== undefined) {
      const take = () => {
        turn++
        way.drawn++
      }
      return [whole + ways.indexOf(way) + way.drawn * ways.length, take]
    }
    return podlessSent < mostPodless ? [podlessFrom + podlessSent, () => void podlessSent++] : null
  }

  return {
    async next() {
      for (;;) {
        const begun = ways.filter(({ stage }) => !isReady(stage)).map(({ stage }) => begin(stage))
        const picked = pick()
        if (picked === null) await Promise.race(begun)
        else {
          picked[1]()
          return picked[0]
        }
      }
    },
    peek: () => pick()?.[0] ?? null,
    giveBack(stage, run) {
      if (run < podlessFrom) ways.find((way) => way.stage === stage)?.returned.push(run)
    },
  }
}

/** True if bodies for a stage can be sent at once: it has its pod, or the target does not make one. */
export function isReady({ pod, podlessFor, isPodless }: Stage): boolean {
  return pod !== null || podlessFor > 0 || isPodless
}

/** The order where a pod takes no real time. */
function inTurn(first: number): Schedule {
  let next = first
  return { next: async () => next++, peek: () => next, giveBack() {} }
}

/** The numbers of the enumerated cases of a stage from `first` on. */
function runsOf(stages: readonly Stage[], at: number, first: number): number[] {
  const from = enumeratedOf(stages.slice(0, at))
  const count = stages[at]?.enumerated.length ?? 0
  return Array.from({ length: count }, (_, step) => from + step).filter((run) => run >= first)
}
