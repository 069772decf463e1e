import { together } from '../../harness/common/together.ts'
import type { Context } from '../../harness/rule/context.ts'
import { createKeeper, type FuzzFinding } from './findings.ts'
import { lookAtPod, payOwed } from './look.ts'
import { caseAt, enumeratedOf, podlessFrom, type Stage, stagesOf } from './stages.ts'
import type { Steps } from './steps.ts'
import { lookAfterMs, type Trial } from './trial.ts'
import { podFor, tryOne } from './try.ts'

export interface CampaignOptions extends Omit<Steps, 'context' | 'drop' | 'keep' | 'isKnown' | 'isRule'> {
  /** Bodies that may go to a pod that does not exist while pods are made; any number unless given. */
  readonly maxPodless?: number
  readonly findings: Map<string, FuzzFinding>
  /** Aborted if all is to end at once: nothing more is sent or kept. */
  readonly cut?: AbortSignal
  /** Asked before each case. */
  readonly goesOn: () => boolean
  /** Told after each case that was to be tried, and whether it was sent. */
  readonly onCase: (wasSent: boolean) => void
}

/** Cases at once, each on its own stage: while one is judged, the connection carries another. */
const underWay = 2
/** Valid actions change a pod for good: of those that are drawn only one in so many is sent. */
const validActionEvery = 997

/**
 * Tries cases until `goesOn` says no, past every finding; each is shrunk and kept once for each fingerprint. Cases are tried in
 * concurrent loops. If a loop fails, the others stop, and the campaign rejects with that error once all have ended.
 */
export async function campaign(context: Context, options: CampaignOptions): Promise<void> {
  const stop = new AbortController()
  options.cut?.addEventListener('abort', () => stop.abort(options.cut?.reason), { once: true })
  const { signal } = stop
  const stages = stagesOf(context).map((stage) => ({ ...stage, trial: unlessStopped(stage.trial, signal) }))
  const keeper = createKeeper(options.findings, options.seed)
  const steps: Steps = {
    context,
    ...options,
    ...keeper,
    keep(...finding) {
      signal.throwIfAborted()
      keeper.keep(...finding)
    },
    isRule: false,
    direct(...what) {
      signal.throwIfAborted()
      return options.direct(...what)
    },
    async drop(pod) {
      await options.outcomeOf(() => context.pods.delete(pod.id))
    },
  }
  const next = createSchedule(stages, options, (stage) =>
    podFor(stage, steps).then(undefined, (error: unknown) => {
      stop.abort(error)
      throw error
    }),
  )
  const loop = async () => {
    while (!signal.aborted && options.goesOn()) {
      let wasSent = false
      try {
        wasSent = await next((run) => {
          const { stage, one } = caseAt(stages, options.seed, run)
          return tryOne(stage, { one, path: String(run) }, steps, run % validActionEvery === 0)
        })
      } finally {
        options.onCase(wasSent)
      }
    }
  }
  await together(underWay, loop, stop)
  await context.clock.sleep(lookAfterMs(context))
  for (const stage of stages) {
    await lookAtPod(stage, steps)
    await payOwed(stage, steps, 1)
  }
}

/** A trial of which nothing is sent any more once the signal is aborted. */
function unlessStopped(trial: Trial, signal: AbortSignal): Trial {
  return {
    ...trial,
    async make() {
      signal.throwIfAborted()
      return trial.make()
    },
    async send(...what) {
      signal.throwIfAborted()
      return trial.send(...what)
    },
  }
}

/**
 * Picks the next case by its number and does `work` with it; cases of a stage follow each other, because they share a
 * pod. Waits if no stage has a pod and no more bodies may go without one.
 */
type Schedule = <T>(work: (run: number) => Promise<T>) => Promise<T>

/**
 * Orders the cases: all that are enumerated, then random ones of each stage in turn. If pods take real time, a stage has
 * its turn when its pod exists: all pods are begun at once, and until the first exists bodies go to a pod that does not.
 * `begin` makes the pod of a stage and resolves when that has ended.
 */
function createSchedule(
  all: readonly Stage[],
  { isTimeFree, maxPodless = Number.POSITIVE_INFINITY }: Pick<CampaignOptions, 'isTimeFree' | 'maxPodless'>,
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
      // Bodies can be sent at once if the stage has its pod, or the target does not make one.
      const ready = idle.filter(({ stage: { pod, podlessFor } }) => isTimeFree || pod !== null || podlessFor > 0)
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
      if (podlessSent < maxPodless) return work(podlessFrom + podlessSent++)
      await Promise.race(made)
    }
  }
}
