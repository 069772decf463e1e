import type { SubmittedJob } from '../../../harness/planes/queue/fixtures/types.ts'
import { unfinished } from '../../shared/job-responses.ts'

/** How a job ends: as the worker is told, or at a limit of its policy. */
export const jobKinds = ['completes', 'fails', 'fails once', 'dies once', 'overruns', 'expires'] as const

export type JobKind = (typeof jobKinds)[number]

/**
 * How far a job has come:
 * - `live`: not released yet
 * - `ending`: may end; no end was seen yet
 * - `completed`, `failed`: this end was seen (`failed`: FAILED or TIMED_OUT)
 * - `stopped`: cancelled or purged before it could end
 * - `over`: cancelled or purged, and may have ended before
 * - `open`: waited or ran at a purge, and the platform may have been about to execute it again: any status
 * - `gone`: its ttl is over
 */
type Phase = 'live' | 'ending' | 'completed' | 'failed' | 'stopped' | 'over' | 'open' | 'gone'

/** A job as the description explains it after the calls so far. */
export interface JobModel {
  /** Its name in texts: `A`. */
  readonly letter: string
  readonly job: SubmittedJob
  readonly kind: JobKind
  readonly isDedicated: boolean
  readonly isNotified: boolean
  phase: Phase
  isReleased: boolean
  /** When it was stopped, ms on the target's clock; Infinity if it was not. */
  stoppedMs: number
  /** How often it had begun, as far as was known just before the call that stopped it, or at its last read before a purge. */
  startsBefore: number
}

/** All that the walk has done. */
export interface JobsModel {
  readonly jobs: JobModel[]
  /** Steps, and among them waits and purges, that may still be taken: a purge has a small quota. */
  left: number
  waitsLeft: number
  purgesLeft: number
}

/** The ttl of a job that expires, and by how much it may be early or late, ms. */
interface Expiry {
  readonly ttlMs: number
  readonly earlyMs: number
  readonly lateMs: number
}

export function isUnfinished({ phase }: JobModel): boolean {
  return phase === 'live' || phase === 'ending'
}

/** True for a job that nothing can have ended or removed. */
export function isKept({ kind, phase }: JobModel): boolean {
  return phase === 'live' && kind !== 'expires'
}

/** True for a job that the platform may put into the queue again at any time. */
export function isExecutedAgain({ kind, phase }: JobModel): boolean {
  return phase === 'ending' && kind !== 'completes' && kind !== 'expires'
}

/** The statuses that the model allows, and how a failure names them. */
interface Explained {
  readonly allowed: (status: string) => boolean
  readonly said: string
}

/** The statuses in which a response may show a job. */
export function explained(one: JobModel, expiry: Expiry, sentMs: number, receivedMs: number): Explained {
  if (one.kind === 'expires') {
    const { received, sent } = one.job.response.exchange
    if (one.phase === 'gone' || sentMs > received.target + expiry.ttlMs + expiry.lateMs) return oneOf(['gone'])
    if (receivedMs > sent.target + expiry.ttlMs - expiry.earlyMs) return oneOf([...statusesOf(one), 'gone'], one)
  }
  return oneOf(statusesOf(one), one)
}

function oneOf(statuses: readonly string[], one?: JobModel): Explained {
  const never = one === undefined ? undefined : nevers[one.phase]
  if (never === undefined) return { allowed: (status) => statuses.includes(status), said: statuses.join(' or ') }
  const allowed = (status: string) => !never.includes(status) && !status.startsWith('HTTP ')
  return { allowed, said: never.length === 0 ? 'in any status' : `not ${never.join(' or ')}` }
}

/** The statuses that a job in these phases must not have; any other is allowed. */
const nevers: Partial<Record<Phase, readonly string[]>> = {
  stopped: [...unfinished, 'COMPLETED'],
  over: [...unfinished],
  open: [],
}

function statusesOf(one: JobModel): readonly string[] {
  switch (one.phase) {
    case 'live':
      return [...unfinished]
    case 'completed':
      return ['COMPLETED']
    default:
      // A failed job may be executed again automatically.
      return [...unfinished, ...endsOf(one)]
  }
}

/** The ends of a job that nobody stops. */
export function endsOf({ isReleased, kind }: JobModel): readonly string[] {
  switch (kind) {
    case 'completes':
    case 'expires':
      return ['COMPLETED']
    case 'fails':
      return ['FAILED']
    // Either may be executed again automatically, or not.
    case 'fails once':
    case 'dies once':
      return ['COMPLETED', 'FAILED']
    case 'overruns':
      return ['FAILED', 'TIMED_OUT', ...(isReleased ? ['COMPLETED'] : [])]
  }
}

/** Notes the status that a response has shown. */
export function observe(one: JobModel, status: string): void {
  if (status === 'COMPLETED') one.phase = 'completed'
  else if (status === 'gone' && one.kind === 'expires') one.phase = 'gone'
  else if (one.phase === 'ending' && (status === 'FAILED' || status === 'TIMED_OUT')) one.phase = 'failed'
  else if (one.phase === 'failed' && unfinished.has(status)) one.phase = 'ending'
}

/** A job is stopped: it never ends by itself, unless it may have ended just before. */
export function stop(one: JobModel, nowMs: number, startsBefore: number): void {
  one.phase = one.phase === 'live' ? 'stopped' : 'over'
  one.stoppedMs = nowMs
  one.startsBefore = startsBefore
}
