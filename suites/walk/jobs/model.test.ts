import { expect, test } from 'vitest'
import type { SubmittedJob } from '../../../harness/planes/queue/fixtures/types.ts'
import { explained, type JobModel, observe, stop } from './model.ts'

const expiry = { ttlMs: 12_000, earlyMs: 2_000, lateMs: 10_000 }

function jobIn(phase: JobModel['phase'], kind: JobModel['kind'] = 'completes'): JobModel {
  const at = { target: 0 }
  const job = { response: { exchange: { sent: at, received: at } }, beacon: { executions: () => [] } }
  const rest = {
    letter: 'A',
    isDedicated: false,
    isNotified: false,
    isReleased: false,
    stoppedMs: Number.POSITIVE_INFINITY,
    startsBefore: 0,
  }
  return { ...rest, kind, phase, job: job as unknown as SubmittedJob }
}

test.each([
  ['live', 'completes', ['IN_QUEUE', 'IN_PROGRESS']],
  ['ending', 'completes', ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED']],
  ['ending', 'fails', ['IN_QUEUE', 'IN_PROGRESS', 'FAILED']],
  ['ending', 'overruns', ['IN_QUEUE', 'IN_PROGRESS', 'FAILED', 'TIMED_OUT']],
  ['completed', 'completes', ['COMPLETED']],
  ['stopped', 'completes', ['FAILED', 'CANCELLED', 'TIMED_OUT', 'gone']],
  ['over', 'completes', ['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT', 'gone']],
  ['gone', 'expires', ['gone']],
] as const)('a job that is %s and %s has the statuses that the description explains', (phase, kind, statuses) => {
  const all = ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT', 'gone', 'HTTP 500']
  const { allowed } = explained(jobIn(phase, kind), expiry, 0, 0)
  expect(all.filter(allowed)).toEqual(statuses)
})

test('a job is there until its ttl is nearly over, and gone once it is over by as much as it may be late', () => {
  const job = jobIn('live', 'expires')
  const isAllowed = (status: string, atMs: number) => explained(job, expiry, atMs, atMs).allowed(status)
  expect([9_000, 11_000, 23_000].map((ms) => isAllowed('gone', ms))).toEqual([false, true, true])
  expect([9_000, 11_000, 23_000].map((ms) => isAllowed('IN_QUEUE', ms))).toEqual([true, true, false])
})

test('a job that was seen to end stays as it is, unless it failed', () => {
  const [completed, failed] = [jobIn('ending'), jobIn('ending', 'fails')]
  observe(completed, 'COMPLETED')
  observe(failed, 'FAILED')
  expect([completed.phase, failed.phase]).toEqual(['completed', 'failed'])
  observe(failed, 'IN_QUEUE')
  expect(failed.phase).toBe('ending')
})

test('a job that is stopped while it may end is never unfinished again', () => {
  const [live, ending] = [jobIn('live'), jobIn('ending')]
  stop(live, 0, 0)
  stop(ending, 0, 0)
  expect([live.phase, ending.phase]).toEqual(['stopped', 'over'])
})
