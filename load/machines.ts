import { basename } from 'node:path'
import { milliseconds } from './analyse/verdict.ts'
import { DATE_HEAD } from './k6/lines.ts'
import { readRawPoints } from './k6/raw.ts'
import { merged, moved } from './point-columns.ts'
import type { Points } from './points.ts'

/** A Date is cut to whole seconds. */
const SECOND_MS = 1000

interface DateLine {
  readonly data: { readonly time: string; readonly value: number; readonly tags: { readonly date?: string } }
}

/** How far the target's clock is ahead of a machine's own: at least `minMs`, at most `maxMs`. */
interface ClockBounds {
  minMs: number
  maxMs: number
}

interface Machine extends ClockBounds {
  readonly name: string
  readonly points: Points
}

export interface MachinePoints {
  readonly points: Points
  /** How far clocks may be off, ms; infinite if nothing shows it. */
  readonly clockErrorMs: number
  /** The clock of each machine, one sentence each. */
  readonly notes: readonly string[]
}

/**
 * Reads the raw points of one plan from a file per machine. If several machines sent requests, their points are moved to the
 * target's clock, and each interval is widened by how far the clocks may be off: a request then still arrives between
 * its two moments, which is all that the judges rely on.
 * @throws LoadError if a file cannot be read.
 */
export async function readMachines(files: readonly string[]): Promise<MachinePoints> {
  const machines: Machine[] = []
  for (const file of files) machines.push(await readMachine(file))
  const sending = machines.filter(({ points }) => points.length > 0)
  const [first] = sending
  if (sending.length < 2) return { points: first?.points ?? [], clockErrorMs: 0, notes: [] }
  const clockErrorMs = Math.max(...sending.map(errorMs))
  const widenMs = Number.isFinite(clockErrorMs) ? clockErrorMs : 0
  const points = merged(
    sending.map((machine) => {
      const aheadMs = offsetMs(machine)
      return moved(machine.points, aheadMs - widenMs, aheadMs + widenMs)
    }),
  )
  return { points, clockErrorMs, notes: sending.map(noteOf) }
}

async function readMachine(file: string): Promise<Machine> {
  const clock = createClockBounds()
  const { points } = await readRawPoints(file, clock.narrow)
  return { name: basename(file), points, ...clock.bounds }
}

/** Bounds the clock of a machine by its lines. `narrow` is true for a line that says more than those before it. */
export function createClockBounds() {
  const bounds: ClockBounds = { minMs: Number.NEGATIVE_INFINITY, maxMs: Number.POSITIVE_INFINITY }
  return {
    bounds,
    narrow(line: string): boolean {
      if (!line.startsWith(DATE_HEAD)) return false
      const { time, value, tags } = (JSON.parse(line) as DateLine).data
      const dateMs = Date.parse(tags.date ?? '')
      if (Number.isNaN(dateMs)) return false
      // The moment of the line is later than the response, and loses less than a millisecond here.
      const minMs = dateMs - Date.parse(time) - 1
      const maxMs = dateMs + SECOND_MS - value
      const isNarrower = minMs > bounds.minMs || maxMs < bounds.maxMs
      bounds.minMs = Math.max(bounds.minMs, minMs)
      bounds.maxMs = Math.min(bounds.maxMs, maxMs)
      return isNarrower
    },
  }
}

/** The middle of what the Dates permit. */
function offsetMs({ minMs, maxMs }: ClockBounds): number {
  return Number.isFinite(minMs) ? (minMs + maxMs) / 2 : 0
}

/** Dates that contradict each other, such as those of several servers, are in doubt by all of the contradiction. */
function errorMs({ minMs, maxMs }: ClockBounds): number {
  return minMs <= maxMs ? (maxMs - minMs) / 2 : minMs - maxMs
}

function noteOf(machine: Machine): string {
  if (!Number.isFinite(machine.minMs)) return `${machine.name}: no response had a Date, so its clock is unknown`
  const where = offsetMs(machine) > 0 ? 'behind' : 'ahead of'
  return `${machine.name}: its clock was ${milliseconds(Math.abs(offsetMs(machine)))} ${where} the target's, give or take ${milliseconds(errorMs(machine))}`
}
