import { pluralize } from '../../../harness/common/pluralize.ts'
import { allPlanes } from '../../../harness/planes/index.ts'
import { planeOf } from '../../../harness/planes/removing.ts'
import { redactorOf } from '../../../harness/record/describe.ts'
import type { Resource } from '../../../harness/record/resources.ts'
import type { Target } from '../../../target/types.ts'
import { program } from '../package-paths.ts'
import { nameOf } from '../run/runs.ts'
import type { Terminal } from '../terminal.ts'

/** A resource that a sweep could not remove, with the reason. */
export interface Leftover {
  /** `job`, `queue`, or what a plane calls its resources, such as `pod`. */
  readonly kind: string
  readonly name: string
  /** Null if it was never learned; for a queue that of its endpoint. */
  readonly id: string | null
  /** The same text for all resources that are left for the same reason. */
  readonly reason: string
  /** When its ttl is over, ms on the clock of the target; null if it has none. */
  readonly endsMs: number | null
  /** True if that clock is a controlled one. */
  readonly isControlled: boolean
}

/** A resource that is left; without a target, its clock counts as real. */
export function leftoverOf(of: Resource, reason: string, target: Target | null): Leftover {
  return {
    kind: kindOf(of),
    name: nameOf(of),
    id: of.kind === 'endpoint' ? of.endpoint : of.id,
    reason: target === null ? reason : redactorOf(target).text(reason),
    endsMs: of.kind === 'job' ? (of.endsMs ?? null) : null,
    isControlled: target !== null && target.clock !== 'real',
  }
}

function kindOf(of: Resource): string {
  if (of.kind === 'job') return 'job'
  if (of.kind === 'endpoint') return 'queue'
  const plane = planeOf(of)
  return allPlanes().find(({ name }) => name === plane)?.creates?.kind ?? `resource of ${plane}`
}

/** Most names in a line. */
const shownNames = 3

/** Reports what a run has left, and what to do about it. */
export function printLeftovers(left: readonly Leftover[], run: string, { err }: Pick<Terminal, 'err'>): void {
  if (left.length === 0) return
  for (const line of linesOf(left, ' ')) err(line)
  const end = lastEnd(left)
  const sweep = `${program} sweep ${run}`
  const later = end === null ? '' : `; the ttl of these jobs is over by ${end}; after that it exits with 0`
  err(`${sweep} tries again${later}; ${sweep} --forget lists what is left and gives it up`)
}

/** Lists what is given up: each pod and each queue, because they may cost, and jobs by reason. */
export function printForgotten(left: readonly Leftover[], run: string, { out }: Pick<Terminal, 'out'>): void {
  for (const { kind, name, id, reason } of left) {
    if (kind === 'queue') out(`run ${run}: forgot what waits on ${name}: ${reason}`)
    else if (kind !== 'job') {
      const known = id === null ? 'its id was never learned' : `id ${id}`
      out(`run ${run}: forgot ${kind} ${name} (${known}), which may still exist and cost money: ${reason}`)
    }
  }
  const jobs = left.filter(({ kind }) => kind === 'job')
  const end = lastEnd(jobs)
  const gone = end === null ? '' : `; gone by ${end}`
  for (const line of linesOf(jobs, ', which ')) out(`run ${run}: forgot ${line}${gone}`)
}

/** `2026-11-22T03:00:00Z`. */
function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
}

/** One line for each reason: `116 jobs could not be cancelled: POST … answered 404 (a 1, a 2, a 3, …)`. */
function linesOf(left: readonly Leftover[], joint: string): string[] {
  const isSought = ({ kind, id }: Leftover) => id === null && kind !== 'job' && kind !== 'queue'
  const groups = Map.groupBy(left, (one) => JSON.stringify([one.kind, one.reason, isSought(one)]))
  return [...groups.values()].map((group) => {
    const [first] = group as [Leftover]
    const { kind, reason } = first
    const names = group.map(({ name }) => name)
    if (kind === 'queue') return `what waits on ${names.join(', ')}${joint}could not be purged: ${reason}`
    const shown = names.length > shownNames ? [...names.slice(0, shownNames), '…'] : names
    // Most of these were refused, and nothing is known to be there.
    if (isSought(first)) {
      return `${pluralize(group.length, 'creation')} may have left a ${kind}, which could not be looked for: ${reason} (${shown.join(', ')})`
    }
    const done = kind === 'job' ? 'cancelled' : 'removed'
    return `${pluralize(group.length, kind)}${joint}could not be ${done}: ${reason} (${shown.join(', ')})`
  })
}

/** When the last one is over; null unless all are jobs with a known end. */
function lastEnd(left: readonly Leftover[]): string | null {
  const ends = left.map(({ endsMs }) => endsMs)
  if (ends.length === 0 || ends.includes(null)) return null
  const end = timeText(Math.max(...ends.map(Number)))
  return left.some(({ isControlled }) => isControlled) ? `${end} on the clock of the target` : end
}
