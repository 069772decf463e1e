import { join } from 'node:path'
import { createRealClock } from '../harness/clock/real.ts'
import { lackIn } from '../harness/common/lack.ts'
import { shorten } from '../harness/run/judge.ts'
import type { DriveLoad } from '../harness/run/options.ts'
import { TransportFailure } from '../harness/transport/types.ts'
import { describeEstimate, estimateOf, refusalBeyond } from './caps.ts'
import { conductLoad, type Judged, type Perform } from './conduct.ts'
import { judgementsOf } from './judgements.ts'
import { createLive } from './live.ts'
import { LoadError } from './load-error.ts'
import type { Step } from './queue/steps.ts'
import { actionOf, loadOf, planEventOf, planFolder, plansFolder } from './record.ts'
import { createRests } from './rests.ts'
import { inTurns } from './turns.ts'

/** Longer reasons are cut: the body of a response may be part of one. */
const longestReason = 1_000

/** Drives the plans of a run with k6, records each, and judges them. */
export const driveLoad: DriveLoad = async (task, takePoint) => {
  const { run, options, target, recorder, reportProgress } = task
  const { load, evidence } = options
  if (load === undefined) throw new Error('the run has no load')
  const clock = createRealClock()
  const actor = clock.actor('load')
  const live = createLive(task, load, actor)
  const rests = createRests(Date.now())
  let earlier: readonly Step[] = []
  let steps: readonly Step[] = []
  let count = 0
  let refusal: string | null = null

  /** Drives a batch; records each plan once it has ended. */
  const perform: Perform = (batch, done) => {
    const allEndMs = Date.now() + estimateOf(steps.slice(count)).seconds * 1000
    const numbers = new Map(batch.map((step) => [step, ++count]))
    let failure = refusal === null ? null : new LoadError(refusal)
    return inTurns(batch, rests, async (turn, prepared) => {
      const { step } = turn
      const n = numbers.get(step) ?? 0
      const plan = planFolder(n, step.name)
      const progress = { type: 'plan', name: step.name, n, of: steps.length, allEndMs } as const
      reportProgress({ ...progress, isOver: false })
      try {
        if (failure !== null) throw failure
        const driven = await live[step.plan.plane](turn, join(evidence, plansFolder, plan), prepared)
        const taken = { ...driven, isBeside: turn.isBeside }
        recorder.event(planEventOf(evidence, plan, step.plan, taken))
        done(step, taken)
      } catch (error) {
        const message = reasonOf(error)
        if (message === null) throw error
        const reason = shorten(recorder, message, longestReason)
        failure ??= new LoadError(reason)
        recorder.event({ type: 'broken-off', plan, reason })
        throw new LoadError(reason)
      } finally {
        reportProgress({ ...progress, isOver: true })
      }
    })
  }

  const planned = (next: readonly Step[]): void => {
    const [first] = next
    if (steps.at(-1)?.plan.plane !== first?.plan.plane) earlier = steps
    steps = [...earlier, ...next]
    refusal = refusalBeyond(estimateOf(steps), load)
    // Other load on endpoints is known and announced beforehand; load on the pod API follows from its quota.
    const alone = next.filter(({ isAlone = false }) => isAlone)
    const announced = first?.plan.plane === 'pods' ? next.slice(1) : alone
    if (announced.length === 0) return
    const again = alone.map(({ name }) => `${name}: driven again, because its first attempt decides nothing`)
    reportProgress({ type: 'shown', lines: [...again, describeEstimate(estimateOf(announced), null)] })
  }

  function judged(one: Judged): void {
    const lines = one.verdicts.map(({ rule, verdict, sentence }) => `  ${verdict}  ${rule}: ${sentence}`)
    const notes = one.notes.map((note) => `  ${note}`)
    reportProgress({ type: 'shown', lines: [...lines, ...notes].map(recorder.clean) })
  }

  try {
    const conducted = await conductLoad({ target, load, action: actionOf(run), perform, planned, judged, takePoint })
    for (const { reason } of conducted.brokenOff.values())
      reportProgress({ type: 'shown', lines: [`plumbline: ${reason}`] })
    return judgementsOf(loadOf(run), conducted)
  } finally {
    actor.done()
    clock.close()
  }
}

/** Why a plan could not be driven; null for a fault of plumbline itself. */
function reasonOf(error: unknown): string | null {
  if (error instanceof LoadError) return error.message
  if (error instanceof TransportFailure) return `no connection to the target: ${error.message}`
  const lack = lackIn(error)
  return (
    lack &&
    `${lack}, so this load was broken off; free some space, raise the limit, or choose another folder with --out`
  )
}
