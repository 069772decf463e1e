import { pluralize } from '../../harness/common/pluralize.ts'
import type { RunEvent } from '../../harness/record/events.ts'
import { readEvidence } from '../../harness/record/read.ts'
import { loadAloneRules } from '../../load/pods/exchanges.ts'
import type { Point } from '../../load/points.ts'
import { conductRecorded, type Driving } from '../../load/record.ts'
import type { Target } from '../../target/types.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { refuseStandingClock } from '../shared/clocks.ts'
import { UsageError } from '../shared/errors.ts'
import type * as commands from '../shared/options.ts'
import { prepareLoad } from '../shared/prepare-load.ts'
import { openReports, runCheck } from '../shared/run-check.ts'
import { type LoadKind, selectLoad } from '../shared/selection.ts'
import { readTarget } from '../shared/target.ts'
import type { Terminal } from '../shared/terminal.ts'

type Options = commands.OptionsOf<typeof commands.load>

/** Runs the rules of load alone: those of a plane, or one request of each operation. Returns the exit code. */
export async function load(kind: LoadKind, options: Options, terminal: Terminal): Promise<number> {
  const { quiet, target: targetFile } = options
  if (kind === 'smoke' && options.format.length > 0)
    throw new UsageError('--format has nothing to report of load smoke, which judges nothing; leave it out')
  if (targetFile === undefined) {
    throw new UsageError('load needs --target FILE; it has no default, because it floods and purges an endpoint')
  }
  const target = await readTarget(targetFile, terminal)
  refuseNothing(kind, target)
  const { profiles, selected } = selectLoad(kind, options)
  await refuseStandingClock(target)
  const reports = openReports(options, terminal.cwd)
  // Every request of a whole load is judged by the invariants, too.
  const others = kind === 'pods' && options.only.length === 0 ? loadAloneRules : []
  const { options: load, estimate } = await prepareLoad(selected, target, options, terminal, kind === 'smoke')
  return runCheck({
    plan: { seed: null, profiles, strict: false, keep: false, rules: [...selected, ...others].sort(), load },
    target,
    targetFile,
    ...reports,
    quiet,
    estimate,
    terminal,
    ...(kind === 'smoke' && { printRecord: (folder) => printSmoke(folder, terminal) }),
  })
}

function refuseNothing(kind: LoadKind, { pods, queue }: Target): void {
  if (kind === 'pods') {
    if (pods === null) throw new UsageError('the target file has no pod API; add pods: https://HOST')
    return
  }
  if (queue === null) {
    throw new UsageError('the target file has no queue-based endpoints; add queue: {url, endpoints}')
  }
  if (queue.endpoints.dedicated !== null) return
  throw new UsageError(
    'load floods and purges an endpoint, and the target file marks none for that; add queue: {endpoints: {dedicated: ENDPOINT_ID}}',
  )
}

/** Prints what the smoke of a record showed. Returns the exit code: 0 if every operation was served. */
async function printSmoke(dir: string, { out, err }: Terminal): Promise<number> {
  let run: RunEvent | null = null
  const driven: Driving[] = []
  for await (const event of readEvidence(dir)) {
    if (event.type === 'run') run = event
    if (event.type === 'plan' || event.type === 'broken-off') driven.push(event)
    if (event.type === 'end' && event.stopped !== null) {
      err(`plumbline: ${event.stopped.message}`)
      return event.stopped.exit
    }
  }
  const { smoke } = run === null ? { smoke: null } : await conductRecorded(dir, run, driven)
  if (smoke === null) return exitCodes.incomplete
  const { brief, held } = smoke
  for (const point of brief.points) out(lineOf(point, ''))
  for (const point of held.points) out(lineOf(point, ', held open'))
  for (const line of smokeLines([...brief.points, ...held.points], [...brief.faults, ...held.faults])) out(line)
  const [fault] = brief.faults.values()
  if (fault !== undefined) err(`plumbline: ${fault}.`)
  return fault === undefined ? exitCodes.conformant : exitCodes.incomplete
}

function lineOf({ operation, status, sentMs, receivedMs }: Point, how: string): string {
  return `${operation}${how}: ${status === 0 ? 'no response' : status} after ${Math.round(receivedMs - sentMs)} ms`
}

/** Which operations can be driven, and why not the others. */
export function smokeLines(points: readonly Point[], faults: readonly (readonly [string, string])[]): string[] {
  const failed = new Set(faults.map(([operation]) => operation))
  const names = [...new Set([...points.map(({ operation }) => operation), ...failed])]
  const served = names.filter((name) => !failed.has(name))
  const reasons = [...new Set(faults.map(([, reason]) => reason))]
  const rest = reasons.length === 0 ? '' : '; load limits does not judge operations that are not served'
  return [
    ...reasons.map((reason) => `not served: ${reason}`),
    `smoke: ${served.length} of ${pluralize(names.length, 'operation')} served, nothing judged${rest}`,
  ]
}
