import type { Context } from '../harness/context.ts'
import { together } from '../harness/together.ts'
import { sendTwice } from './again.ts'
import { createAhead, type Drawn } from './ahead.ts'
import { allowedText, classify, isIn, type Situation } from './oracle.ts'
import type { Trial } from './play.ts'
import { caseAt, enumeratedOf, type Stage, stagesOf } from './stages.ts'
import { type FuzzAnswer, look, type Steps, tryOne } from './try.ts'

export interface CampaignOptions extends Pick<Steps, 'seed' | 'findings' | 'clean' | 'attempt'> {
  /** Where to begin: what is enumerated is tried by one lane only. */
  readonly from: 'enumeration' | 'random'
  /** Asked before each case. */
  readonly goesOn: () => boolean
  /** Told after each case that was to be tried, and whether it was sent. */
  readonly onCase: (wasSent: boolean) => void
  /**
   * Sends a body to a pod without pacing and record, and does `meanwhile` once the request is under way. A 429 is waited
   * out in the usual way then.
   */
  readonly direct: (situation: Situation, id: string, bytes: Uint8Array, meanwhile: () => void) => Promise<FuzzAnswer>
}

/** Cases at once, each on a stage of its own: while one is judged, the connection carries another. */
const underWay = 2
/** How long after the last case the pods are looked at once more, ms. */
const lookAfterMs = 2_000
/** Valid actions change a pod for good: of those that are drawn only one in so many is sent. */
const validActionEvery = 997

/**
 * Tries cases until it is told to stop, past every finding; each is shrunk and kept once for each fingerprint. Where one
 * hand fails, the others send and keep nothing any more, and it rejects as that one did once all have ended.
 */
export async function campaign(context: Context, options: CampaignOptions): Promise<void> {
  const stop = new AbortController()
  const { signal } = stop
  const stages = stagesOf(context).map((stage) => ({ ...stage, trial: unlessStopped(stage.trial, signal) }))
  const ahead = createAhead((run) => caseAt(stages, options.seed, run))
  let next = options.from === 'enumeration' ? 0 : enumeratedOf(stages)
  const prepareNext = () => ahead.prepare(next)
  const steps: Steps = {
    seed: options.seed,
    findings: options.findings,
    clean: options.clean,
    attempt: options.attempt,
    signal,
    direct(situation, id, bytes) {
      signal.throwIfAborted()
      return options.direct(situation, id, bytes, prepareNext)
    },
  }
  // Cases of one stage follow each other, for they share a pod.
  const turns = new Map<Stage, Promise<boolean>>()
  const tryNext = ({ stage, one }: Drawn, run: number): Promise<boolean> => {
    const before = turns.get(stage) ?? Promise.resolve(false)
    const turn = before.then(() => tryOne(context, stage, one, String(run), steps, run % validActionEvery === 0))
    turns.set(stage, turn)
    return turn
  }
  const hand = async () => {
    while (!signal.aborted && options.goesOn()) {
      const run = next++
      let wasSent = false
      try {
        wasSent = await tryNext(ahead.take(run), run)
      } finally {
        options.onCase(wasSent)
      }
    }
  }
  await together(underWay, hand, stop)
  await context.clock.sleep(Math.min(lookAfterMs, context.target.tolerances.visibleMs))
  for (const stage of stages) await look(context, stage, 'end', steps)
}

/** Sends the case of a seed and path once more, on a pod of its own; null where there is no such path. */
export async function replayCase(context: Context, seed: number, path: string) {
  const [run = 0, ...steps] = path.split(':').map(Number)
  const drawn = caseAt(stagesOf(context), seed, run)
  let { one } = drawn
  for (const step of steps) {
    const simpler = [...takeOf(one.simpler?.() ?? [], step + 1)][step]
    if (simpler === undefined) return null
    one = simpler
  }
  const pod = await drawn.stage.trial.make()
  const situation = drawn.stage.trial.situation(pod)
  const reply = await sendTwice(drawn.stage.trial, pod, one.bytes)
  const allowed = classify(situation, one.bytes)
  const isAllowed = allowed.some(({ answers }) => isIn(reply.status, answers))
  return { one, stage: drawn.stage.name, situation, reply, expected: allowedText(allowed), isAllowed }
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

function* takeOf<T>(items: Iterable<T>, count: number): Iterable<T> {
  let left = count
  for (const item of items) {
    if (left-- <= 0) return
    yield item
  }
}
