import { median } from 'simple-statistics'
import { pollOn } from '../../harness/clock/poll.ts'
import type { ScenarioClock } from '../../harness/clock/types.ts'
import { type Exchange, jsonOf } from '../../harness/exchange/exchange.ts'
import { jobIdIn } from '../../harness/exchange/read.ts'
import { endIn, type Followed } from '../../harness/planes/queue/job-status.ts'
import { expectUnanswered, isSuccessful } from './exchanges.ts'
import type { Subject } from './operations.ts'

/** Times of jobs that were COMPLETED, ms: the median of each; null if no job has it. */
export type JobTimes = {
  /** `delayTime` of /status. */
  readonly queued: number | null
  /** `executionTime` of /status. */
  readonly executed: number | null
  /** From the submission until /status first showed COMPLETED. */
  readonly completed: number | null
}

/** The first pause between two reads of a job, ms, and its growth: a fiftieth of the time that the job takes. */
const pause = { firstMs: 5, growth: 1.02 } as const

/** Waits until the jobs of these submissions have ended. Once one has not in time, no others are waited for. */
export async function endJobs(subject: Subject, submissions: readonly Exchange[]): Promise<JobTimes> {
  const ends = await Promise.all(submissions.filter(isSuccessful).map((submission) => endOf(subject, submission)))
  const completed = ends.filter((end) => end !== null).filter(({ status }) => status === 'COMPLETED')
  const middleOf = (of: (end: Ended) => unknown) => {
    const times = completed.map(of).filter((ms) => typeof ms === 'number')
    return times.length === 0 ? null : median(times)
  }
  return {
    queued: middleOf(({ job }) => job?.delayTime),
    executed: middleOf(({ job }) => job?.executionTime),
    completed: middleOf(({ afterMs }) => afterMs),
  }
}

interface Ended extends Followed {
  /** Since its submission. */
  readonly afterMs: number
}

async function endOf(subject: Subject, { sent, response }: Exchange): Promise<Ended | null> {
  const id = response === null ? null : jobIdIn(jsonOf(response.body))
  if (id === null || !subject.endsJobs) return null
  const { clock, on, target } = subject.context
  const { coldStartMs, dispatchMs } = target.tolerances
  const endMs = clock.now() + coldStartMs + dispatchMs
  const look = () => on('queue').status(id).then(endIn, expectUnanswered)
  // A read may not show a new job yet, so that a 404 is no end.
  const last = await pollOn(clock, growingPauses(clock, endMs), look, (end) => end !== null && end.status !== 'gone')
  subject.endsJobs &&= last !== null
  return last === null ? null : { ...last, afterMs: last.response.exchange.received.harness - sent.harness }
}

/** Pauses until a moment, each longer than the one before. */
function* growingPauses(clock: Pick<ScenarioClock, 'now'>, endMs: number): Generator<number, void, void> {
  for (let ms: number = pause.firstMs; clock.now() < endMs; ms *= pause.growth) yield ms
}
