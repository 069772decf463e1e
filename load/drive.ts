import { join } from 'node:path'
import { createRealClock } from '../harness/clock/real.ts'
import { lackIn } from '../harness/common/lack.ts'
import { shorten } from '../harness/run/judge.ts'
import type { DriveLoad } from '../harness/run/options.ts'
import { TransportFailure } from '../harness/transport/types.ts'
import { describeEstimate, estimateOf, msOf, refusalBeyond } from './caps.ts'
import { conductLoad, type Judged, type Perform } from './conduct.ts'
import { judgementsOf } from './judgements.ts'
import { createLive } from './live.ts'
import { LoadError } from './load-error.ts'
import type { Step } from './queue/steps.ts'
import { actionOf, loadOf, planEventOf, planFolder, plansFolder } from './record.ts'

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
  let earlier: readonly Step[] = []
  let steps: readonly Step[] = []
  let count = 0

  const perform: Perform = async (step) => {
    const plan = planFolder(++count, step.name)
    reportProgress({ type: 'plan', name: step.name, n: count, of: steps.length, ...endsOf(steps, count) })
    try {
      const driven = await live[step.plan.plane](step, join(evidence, plansFolder, plan))
      recorder.event(planEventOf(evidence, plan, step.plan, driven))
      return driven
    } catch (error) {
      const message = reasonOf(error)
      if (message === null) throw error
      throw brokenOff(plan, message)
    }
  }

  function brokenOff(plan: string, message: string): LoadError {
    const reason = shorten(recorder, message, longestReason)
    recorder.event({ type: 'broken-off', plan, reason })
    return new LoadError(reason)
  }

  const planned = (next: readonly Step[]): void => {
    const [first] = next
    if (steps.at(-1)?.plan.plane !== first?.plan.plane) earlier = steps
    steps = [...earlier, ...next]
    // Load on endpoints is known and told beforehand; load on the pod API follows from its quota.
    if (first?.plan.plane !== 'pods' || next.length === 1) return
    reportProgress({ type: 'shown', lines: [describeEstimate(estimateOf(next), null)] })
    const refusal = refusalBeyond(estimateOf(steps), load)
    if (refusal !== null) throw brokenOff(planFolder(++count, steps[count - 1]?.name ?? ''), refusal)
  }

  function judged({ verdicts, notes }: Judged): void {
    const lines = verdicts.map(({ rule, verdict, sentence }) => `  ${verdict}  ${rule}: ${sentence}`)
    reportProgress({ type: 'shown', lines: [...lines, ...notes.map((note) => `  ${note}`)].map(recorder.clean) })
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

/** When the plan that begins now ends, and when all do, ms of the Unix epoch. */
function endsOf(steps: readonly Step[], count: number) {
  const current = steps[count - 1]
  const endsMs = Date.now() + (current === undefined ? 0 : msOf(current.plan))
  return { endsMs, allEndMs: endsMs + estimateOf(steps.slice(count)).seconds * 1000 }
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
