import { membersOf, valueAt } from '../../harness/exchange/read.ts'
import type { HealthPaths } from '../../target/types.ts'

/** The jobs that a response of /health counts, as `queue.health` of the target file finds them. */
export const jobCounts = ['inQueue', 'inProgress', 'completed', 'failed'] as const

export type JobCount = (typeof jobCounts)[number]

/**
 * A count of jobs in a response of /health. Encoders may leave a zero out: one that is missing is 0 in an empty object, and
 * beside other counts of jobs.
 */
export function countAt(json: unknown, name: JobCount, paths: HealthPaths): unknown {
  const path = paths[name]
  const siblings = membersOf(valueAt(json, path.slice(0, Math.max(0, path.lastIndexOf('.')))))
  const isEmpty = siblings !== null && Object.keys(siblings).length === 0
  const isCounted = jobCounts.some((one) => typeof valueAt(json, paths[one]) === 'number')
  const value = valueAt(json, path)
  return value === undefined && (isEmpty || isCounted) ? 0 : value
}

/** The statistics of workers and jobs that /health shows, by their places; anything but an object is a statistic. */
export function statisticsIn(json: unknown, paths: HealthPaths): ReadonlyMap<string, unknown> {
  const places = [...jobCounts.map((name) => paths[name]), paths.workers]
  return new Map(places.flatMap((path) => leavesOf(path, valueAt(json, path))))
}

/** Everything that a JSON value holds and that is not an object, by its place. */
export function leavesOf(path: string, value: unknown): readonly (readonly [place: string, leaf: unknown])[] {
  const members = membersOf(value)
  if (members === null) return value === undefined ? [] : [[path, value]]
  return Object.entries(members).flatMap(([name, member]) => leavesOf(path === '' ? name : `${path}.${name}`, member))
}
