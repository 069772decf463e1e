import type { SubmittedJob } from '../../../harness/planes/queue/fixtures/types.ts'

/** How a job ends: as the worker is told, or at a limit of its policy. */
export const jobKinds = ['completes', 'fails', 'fails once', 'dies once', 'overruns', 'expires'] as const

export type JobKind = (typeof jobKinds)[number]

/**
 * How far a job has come: `live` until it is released, `ending` until an end was seen, then `completed` or `failed`; `stopped` by a
 * cancellation or a purge, `over` if it may have ended just before that, `open` if a purge may have cleared it while it was to be
 * executed again automatically, `gone` once its ttl is over.
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
  /** Executions when it was stopped. */
  executions: number
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
export interface Expiry {
  readonly ttlMs: number
  readonly earlyMs: number
  readonly lateMs: number
}

const unfinished = ['IN_QUEUE', 'IN_PROGRESS']

export function isUnfinished({ phase }: JobModel): boolean {
  return phase === 'live' || phase === 'ending'
}

/** True for a job that the platform may put into the queue again at any time. */
export function isExecutedAgain({ kind, phase }: JobModel): boolean {
  return phase === 'ending' && kind !== 'completes' && kind !== 'expires'
}

/** A job status, or `gone`, by the model: the allowed ones, or what must not be. */
export interface Explained {
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

/** The statuses that a job never has, where others are open. */
const nevers: Partial<Record<Phase, readonly string[]>> = {
  stopped: [...unfinished, 'COMPLETED'],
  over: unfinished,
  open: [],
}

function statusesOf(one: JobModel): readonly string[] {
  switch (one.phase) {
    case 'live':
      return unfinished
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
  else if (one.phase === 'failed' && unfinished.includes(status)) one.phase = 'ending'
}

/** A job is stopped: it never ends by itself, unless it may have ended just before. */
export function stop(one: JobModel): void {
  one.phase = one.phase === 'live' ? 'stopped' : 'over'
  one.executions = one.job.beacon.executions().length
}
