import { enumeratedOf, podlessFrom, type Stage } from './stages.ts'

export interface ScheduleOptions {
  readonly isTimeFree: boolean
  /** Bodies that may go to a pod that does not exist while pods are made; any number unless given. */
  readonly mostPodless?: number
}

/**
 * Picks the next case by its number and does `work` with it; cases of a stage follow each other, because they share a
 * pod. Waits if no stage has a pod and no more bodies may go without one.
 */
export type Schedule = <T>(work: (run: number) => Promise<T>) => Promise<T>

/**
 * Orders the cases: all that are enumerated, then random ones of each stage in turn. If pods take real time, a stage has
 * its turn when its pod exists: all pods are begun at once, and until the first exists bodies go to a pod that does not.
 * `begin` makes the pod of a stage and resolves when that has ended.
 */
export function createSchedule(
  all: readonly Stage[],
  { isTimeFree, mostPodless = Number.POSITIVE_INFINITY }: ScheduleOptions,
  begin: (stage: Stage) => Promise<unknown>,
): Schedule {
  const whole = enumeratedOf(all)
  const stages = all.filter(({ trial }) => !trial.isPodless)
  const ways = stages.map((stage, at) => ({
    stage,
    at,
    first: enumeratedOf(stages.slice(0, at)),
    drawn: 0,
    isBusy: false,
    making: null as Promise<unknown> | null,
  }))
  type Way = (typeof ways)[number]
  let turn = 0
  let podlessSent = 0

  function runOf({ stage, at, first, drawn }: Way): number {
    const random = drawn - stage.enumerated.length
    return random < 0 ? first + drawn : whole + at + random * ways.length
  }

  function make(way: Way): Promise<unknown> {
    if (way.making !== null) return way.making
    way.making = begin(way.stage).finally(() => {
      way.making = null
    })
    // Whoever waits for it is told of a failure; if nobody does, it is no fault of the process.
    void Promise.allSettled([way.making])
    return way.making
  }

  return async (work) => {
    for (;;) {
      const idle = ways.filter(({ isBusy }) => !isBusy)
      const ready = idle.filter(({ stage }) => isTimeFree || isReady(stage))
      const made = idle.filter((way) => !ready.includes(way)).map(make)
      const way = ready.find(({ stage, drawn }) => drawn < stage.enumerated.length) ?? ready[turn++ % ready.length]
      if (way !== undefined) {
        const run = runOf(way)
        way.drawn++
        way.isBusy = true
        try {
          return await work(run)
        } finally {
          way.isBusy = false
        }
      }
      if (podlessSent < mostPodless) return work(podlessFrom + podlessSent++)
      await Promise.race(made)
    }
  }
}

/** True if bodies for a stage can be sent at once: it has its pod, or the target does not make one. */
function isReady({ pod, podlessFor }: Stage): boolean {
  return pod !== null || podlessFor > 0
}
