import { pollOn } from '../../harness/clock/poll.ts'
import type { ScenarioClock } from '../../harness/clock/types.ts'
import { type Exchange, jsonOf } from '../../harness/exchange/exchange.ts'
import { idOrNumberIn } from '../../harness/exchange/read.ts'
import { endIn, type Followed } from '../../harness/planes/queue/job-status.ts'
import { median } from '../../load/mixed/statistics.ts'
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

/** Follows the jobs of these submissions until they have ended. Once one has not ended in time, no others are followed. */
export async function followJobs(subject: Subject, submissions: readonly Exchange[]): Promise<JobTimes> {
  const followed = subject.hasStuckJob ? [] : submissions.filter(isSuccessful).flatMap(submittedIn)
  const ends = await Promise.all(followed.map((job) => endOf(job, subject)))
  subject.hasStuckJob ||= ends.includes(null)
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

interface Submitted {
  readonly id: string
  /** Real ms. */
  readonly sentMs: number
}

/** The job of a submission; none without an id. */
function submittedIn({ sent, response }: Exchange): Submitted[] {
  const id = response === null ? null : idOrNumberIn(jsonOf(response.body))
  return id === null ? [] : [{ id, sentMs: sent.harness }]
}

interface Ended extends Followed {
  /** Since its submission. */
  readonly afterMs: number
}

/** The end of a job; null if it did not end in time. */
async function endOf({ id, sentMs }: Submitted, { context }: Subject): Promise<Ended | null> {
  const { clock, on, target } = context
  const { coldStartMs, dispatchMs } = target.tolerances
  const endMs = clock.now() + coldStartMs + dispatchMs
  const look = () => on('queue').status(id).then(endIn, expectUnanswered)
  // A read may not show a new job yet, so that a 404 is no end.
  const last = await pollOn(clock, growingPauses(clock, endMs), look, (end) => end !== null && end.status !== 'gone')
  return last === null ? null : { ...last, afterMs: last.response.exchange.received.harness - sentMs }
}

/** Pauses until a moment, each longer than the one before. */
function* growingPauses(clock: Pick<ScenarioClock, 'now'>, endMs: number): Generator<number, void, void> {
  for (let ms: number = pause.firstMs; clock.now() < endMs; ms *= pause.growth) yield ms
}
