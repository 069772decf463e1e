import type { Mix } from '../../target/types.ts'

/** A session and its place in the cycle, from 0 to 1. */
type Placed = readonly [place: number, session: readonly string[]]

/**
 * The sessions of one cycle of a mix, spread evenly. A job session submits a job and then reads, cancels or streams it; a pod session
 * creates a pod, reads it and deletes it. So each request names a job or pod of its own session, however long the load lasts.
 */
export function sessionsOf(mix: Mix): string[][] {
  const { run = 0, status = 0, cancel = 0, stream = 0, createPod = 0, getPod = 0, ...others } = mix
  const jobs = sessions(run, (at) => {
    const cancels = portion(cancel, at, run)
    const streams = cancels === 0 ? 0 : portion(stream, Math.floor((at * cancel) / run), cancel)
    return ['run', ...many('status', portion(status, at, run)), ...many('cancel', cancels), ...many('stream', streams)]
  })
  const pods = sessions(createPod, (at) => [
    'createPod',
    ...many('getPod', portion(getPod, at, createPod)),
    'deletePod',
  ])
  const single = Object.entries(others).flatMap(([operation, count]) => sessions(count, () => [operation]))
  return [...jobs, ...pods, ...single].toSorted(([a], [b]) => a - b).map(([, session]) => [...session])
}

function sessions(count: number, sessionAt: (at: number) => readonly string[]): Placed[] {
  return Array.from({ length: count }, (_, at) => [(at + 0.5) / count, sessionAt(at)])
}

/** How many of `count` requests fall to one of `of` sessions. */
function portion(count: number, at: number, of: number): number {
  return Math.floor(((at + 1) * count) / of) - Math.floor((at * count) / of)
}

function many(operation: string, count: number): string[] {
  return Array.from({ length: count }, () => operation)
}
