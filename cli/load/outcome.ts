import { rules as ledger } from '../../generated/rules.ts'
import type { Redactor } from '../../harness/record/redact.ts'
import { brief } from '../../harness/run/tell.ts'
import { TransportFailure } from '../../harness/transport/types.ts'
import type { Judged } from '../../load/judge-step.ts'
import { LoadError } from '../../load/load-error.ts'
import type { Undecided } from '../../load/queue/after-smoke.ts'
import { type LoadRecord, loadFormat, resultsOfRecord } from '../../load/record.ts'
import { exitCodes, type Results } from '../../results/types.ts'
import { describeTarget } from '../../target/describe.ts'
import { digestsOf } from '../digests.ts'
import { version } from '../home.ts'
import { isFull } from '../places.ts'
import type { LoadTask } from './session.ts'

/** The end of a load: complete or early. */
export interface Ending {
  readonly undecided: Undecided
  /** Why it ended early, or null. */
  readonly brokenOff: string | null
  /** Set if the target was never reached: the exit code, and the reason. */
  readonly stopped: { readonly exit: number; readonly message: string } | null
}

/** Longest reason, in characters: the body of a response may be part of it. */
const longestReason = 1_000

/** The outcome of a load after an error, without secrets; null after an internal error. */
export function endingOf(error: unknown, judged: readonly Judged[], { text }: Redactor): Ending | null {
  const reason = reasonOf(error)
  if (reason === null) return null
  const brokenOff = brief({ clean: text }, reason, longestReason)
  // A target that was never reached has no results; one that went away keeps its results so far.
  const isAway = error instanceof TransportFailure && !judged.some(({ verdicts }) => verdicts.length > 0)
  const stopped = isAway ? { exit: exitCodes.unreachable, message: brokenOff } : null
  return { undecided: new Map(), brokenOff, stopped }
}

/** The driven load, as the record holds it. */
interface Drove extends Pick<LoadRecord, 'kind' | 'k6' | 'plans' | 'seen'> {
  readonly run: string
  readonly startedMs: number
  readonly judged: readonly Judged[]
}

/** The record of a load that was not interrupted, and its results. */
export async function resultsOfLoad(
  { options, target, selection }: LoadTask,
  { undecided, brokenOff, stopped }: Ending,
  { kind, run, startedMs, judged, k6, plans, seen }: Drove,
): Promise<{ readonly record: LoadRecord; readonly results: Results }> {
  const record: LoadRecord = {
    format: loadFormat,
    kind,
    run: {
      type: 'run',
      format: 1,
      run,
      plumbline: version(),
      startedMs,
      targetFile: options.target,
      seed: null,
      clock: 'real',
      profiles: selection.profiles,
      strict: false,
      rules: [...selection.selected].sort(),
      digests: digestsOf(target),
      target: describeTarget(target),
    },
    windowScale: options.windowScale,
    k6,
    seen,
    plans,
    brokenOff,
    stopped,
    endedMs: Date.now(),
  }
  return { record, results: await resultsOfRecord(record, { judged, undecided, leftOut: selection.leftOut }, ledger) }
}

function reasonOf(error: unknown): string | null {
  if (error instanceof LoadError) return error.message
  if (error instanceof TransportFailure) return `no connection to the target: ${error.message}`
  if (isFull(error))
    return 'the disk is full, so the record of this load is incomplete; choose another folder with --out'
  return null
}
