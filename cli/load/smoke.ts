import { pluralize } from '../../harness/common/pluralize.ts'
import type { RunEvent } from '../../harness/record/events.ts'
import { readEvidence } from '../../harness/record/read.ts'
import type { Point } from '../../load/points.ts'
import { conductRecorded, type Driving } from '../../load/record.ts'
import { exitCodes } from '../../results/types.ts'
import type { Terminal } from '../terminal.ts'

/** Prints what the smoke of a record showed. Returns the exit code: 0 if every operation was served. */
export async function tellSmoke(dir: string, { out, err }: Terminal): Promise<number> {
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
