import { lengthOf } from '../../harness/common/length.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import type { RunEvent } from '../../harness/record/events.ts'
import { readEvidence } from '../../harness/record/read.ts'
import type { Conducted } from '../../load/conduct.ts'
import { mixedFacts } from '../../load/mixed/plan.ts'
import { loadAloneRules } from '../../load/pods/exchanges.ts'
import type { Point } from '../../load/points.ts'
import { conductRecorded, type Driving } from '../../load/record.ts'
import type { Target } from '../../target/types.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { UsageError } from '../shared/errors.ts'
import type * as commands from '../shared/options.ts'
import { refuseStandingClock } from '../shared/run/clocks.ts'
import { prepareLoad } from '../shared/run/prepare-load.ts'
import { openReports, runCheck } from '../shared/run/run-check.ts'
import { type LoadKind, selectLoad } from '../shared/run/selection.ts'
import { readTarget } from '../shared/target.ts'
import type { Terminal } from '../shared/terminal.ts'
import { soakWindows } from './drift.ts'
import { emitLoad } from './emit.ts'
import { printMixed } from './mixed.ts'

type Options = commands.OptionsOf<typeof commands.load>

/** Runs the rules of load alone: those of a plane, or one request of each operation. Returns the exit code. */
export async function load(kind: LoadKind, options: Options, terminal: Terminal): Promise<number> {
  const { quiet, target: targetFile, tolerance = usualTolerance } = options
  const isMixed = kind === 'mixed' || kind === 'soak'
  refuseFlags(kind, options)
  if (targetFile === undefined) {
    throw new UsageError('load needs --target FILE; it has no default, because it floods and purges an endpoint')
  }
  const target = await readTarget(targetFile, terminal)
  refuseNothing(kind, target)
  const { profiles, selected } = selectLoad(kind, options)
  if (options.emit !== undefined) return emitLoad({ target, targetFile, profiles, rules: selected }, options, terminal)
  await refuseStandingClock(target)
  const reports = openReports(options, terminal.cwd)
  // Every request of a whole load is judged by the invariants, too.
  const others = kind === 'pods' && options.only.length === 0 ? loadAloneRules : []
  const mixed = isMixed ? mixedFacts(kind, options.duration ?? usualMs[kind], target) : undefined
  const shape = { isSmoke: kind === 'smoke', ...(mixed !== undefined && { mixed }) }
  const { options: load, estimate } = await prepareLoad(selected, target, options, terminal, shape)
  return runCheck({
    plan: { seed: null, profiles, strict: false, keep: false, rules: [...selected, ...others].sort(), load },
    target,
    targetFile,
    ...reports,
    quiet,
    estimate,
    terminal,
    ...(kind === 'smoke' && { printRecord: (folder) => printLoad(folder, printSmoke, terminal) }),
    ...(isMixed && {
      printRecord: (folder) =>
        printLoad(folder, (conducted, run) => printMixed(folder, run, conducted, tolerance, terminal), terminal),
    }),
  })
}

/** How long a load lasts unless a flag says it, ms. */
const usualMs = { mixed: 30_000, soak: 3_600_000 } as const
/** The smallest drift that counts unless a flag says it, as a ratio minus 1. */
const usualTolerance = 0.1
/** Shorter windows have too few requests for a median. */
const minSoakMs = soakWindows * 1000

/** Flags, and the kinds of load that they are for. */
const kindsOf = {
  duration: ['mixed', 'soak'],
  tolerance: ['soak'],
  segments: ['limits'],
  emit: ['limits'],
  format: ['limits', 'pods'],
  only: ['smoke', 'limits', 'pods'],
  profile: ['smoke', 'limits', 'pods'],
} as const satisfies Partial<Record<keyof Options, readonly LoadKind[]>>

function refuseFlags(kind: LoadKind, options: Options): void {
  const { emit, duration: forMs, format, image } = options
  for (const [name, kinds] of Object.entries(kindsOf)) {
    const isGiven = [options[name as keyof typeof kindsOf] ?? []].flat().length > 0
    if (isGiven && !kinds.some((one) => one === kind))
      throw new UsageError(`--${name} is for load ${kinds.join(', ')}; leave it out of load ${kind}`)
  }
  if (emit !== undefined && format.length > 0)
    throw new UsageError('--format has nothing to report with --emit, which judges nothing; replay takes it later')
  if (image !== undefined && emit === undefined) throw new UsageError('--image is for --emit; add --emit k8s')
  if (kind === 'soak' && forMs !== undefined && forMs < minSoakMs)
    throw new UsageError(`--duration ${lengthOf(forMs)} is too short for a soak; give at least ${lengthOf(minSoakMs)}`)
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

type Print = (conducted: Conducted, run: RunEvent, terminal: Terminal) => number

/** Prints the load of a record, conducted again. Returns the exit code. */
async function printLoad(dir: string, print: Print, terminal: Terminal): Promise<number> {
  let run: RunEvent | null = null
  const driven: Driving[] = []
  for await (const event of readEvidence(dir)) {
    if (event.type === 'run') run = event
    if (event.type === 'plan' || event.type === 'broken-off') driven.push(event)
    if (event.type === 'end' && event.stopped !== null) {
      terminal.err(`plumbline: ${event.stopped.message}`)
      return event.stopped.exit
    }
  }
  return run === null ? exitCodes.incomplete : print(await conductRecorded(dir, run, driven), run, terminal)
}

/** Prints what a smoke showed. Returns the exit code: 0 if every operation was served. */
function printSmoke({ smoke }: Conducted, _: RunEvent, { out, err }: Terminal): number {
  if (smoke === null) return exitCodes.incomplete
  const { points, faults } = smoke
  for (const point of points) out(lineOf(point))
  for (const line of smokeLines(points, [...faults])) out(line)
  const [fault] = faults.values()
  if (fault !== undefined) err(`plumbline: ${fault}.`)
  return fault === undefined ? exitCodes.conformant : exitCodes.incomplete
}

function lineOf({ operation, status, sentMs, receivedMs }: Point): string {
  return `${operation}: ${status === 0 ? 'no response' : status} after ${Math.round(receivedMs - sentMs)} ms`
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
