import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RateOperation } from '../../generated/tables.ts'
import { analyse } from '../analyse/analyse.ts'
import { queuePlan } from '../plan/queue-plan.ts'
import type { Plan, QueueShape } from '../plan/types.ts'
import { runLoad } from '../run.ts'
import { requests, startServer, TOKEN } from '../testing/server.ts'
import type { TargetOptions } from '../testing/targets.ts'
import { findK6 } from './find.ts'

/** Real k6 against real limiters in real time, with windows of one second. */
const windowScale = 0.1
const workers = { running: 0, requestsPerWindow: 0 }
let k6 = ''
let folder = ''

beforeAll(async () => {
  k6 = (await findK6({ env: process.env })).path
  folder = await mkdtemp(join(tmpdir(), 'plumbline-load-'))
}, 700_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

async function drive(target: TargetOptions, operation: RateOperation, shape: QueueShape) {
  const server = await startServer({ windowScale, ...target })
  try {
    const plan = queuePlan({ operation, shape, windowScale, workers })
    return await judged({
      plan,
      requests,
      k6,
      urls: server.urls,
      token: TOKEN,
      folder: join(folder, crypto.randomUUID()),
    })
  } finally {
    await server.close()
  }
}

async function judged(options: Parameters<typeof runLoad>[0]) {
  const { points, notes } = await runLoad(options)
  return { verdicts: analyse(points, options.plan), notes }
}

const legal: readonly (readonly [TargetOptions, RateOperation, QueueShape])[] = [
  [{ kind: 'fixed-window', offsetMs: 333 }, 'cancel', 'under'],
  [{ kind: 'fixed-window', offsetMs: 333 }, 'cancel', 'over'],
  [{ kind: 'sliding-counter', offsetMs: 777 }, 'cancel', 'under'],
  [{ kind: 'sliding-counter', offsetMs: 777 }, 'cancel', 'over'],
  [{ kind: 'gcra' }, 'cancel', 'concurrency'],
  [{ kind: 'token-bucket' }, 'cancel', 'recovery'],
  [{ kind: 'sliding-log' }, 'cancel', 'isolation'],
  [{ kind: 'fixed-window' }, 'purge', 'burst'],
  [{ kind: 'sliding-counter', offsetMs: 777 }, 'purge', 'under'],
]

test.concurrent.each(legal)('%o passes as %s, %s', { timeout: 60_000 }, async (target, operation, shape) => {
  const { verdicts, notes } = await drive(target, operation, shape)
  expect(verdicts.length).toBeGreaterThan(0)
  for (const { rule, verdict, sentence } of verdicts) {
    expect({ rule, verdict, sentence, notes }).toEqual({ rule, verdict: 'passed', sentence, notes })
  }
})

const defects: readonly (readonly [string, TargetOptions, RateOperation, QueueShape, string])[] = [
  ['half the limit', { requests: (n) => n / 2 }, 'cancel', 'under', 'limits.queue.cancel'],
  ['double the limit', { requests: (n) => n * 2 }, 'cancel', 'over', 'limits.queue.cancel'],
  ['503 in place of 429', { refusal: 503 }, 'cancel', 'over', 'limits.queue.status-429'],
]

test.concurrent.each(defects)('%s is caught', { timeout: 60_000 }, async (_, target, operation, shape, rule) => {
  const { verdicts } = await drive(target, operation, shape)
  expect(verdicts.find((verdict) => verdict.rule === rule)).toMatchObject({ verdict: 'failed' })
})

const podPlan = { plane: 'pods', requests: 8, probes: 2, earlyShare: 0.25, longestWaitMs: 5000 } as const

test.concurrent.each([
  ['whole seconds', String, ['passed', 'passed', 'passed', 'passed']],
  ['too short', () => '1', ['passed', 'passed', 'failed', 'inconclusive']],
  ['a fraction', (seconds: number) => `${seconds}.0`, ['passed', 'failed', 'inconclusive', 'inconclusive']],
] as const)('Retry-After: %s', { timeout: 60_000 }, async (_, retryAfter, expected) => {
  const server = await startServer({}, { quota: 5, windowSeconds: 3, retryAfter })
  try {
    const plan: Plan = { ...podPlan, shape: 'pod-429' }
    const { verdicts } = await judged({ plan, requests, k6, urls: server.urls, token: TOKEN, folder: join(folder, _) })
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(expected)
  } finally {
    await server.close()
  }
})

test.concurrent('a target that does not answer is never a pass', { timeout: 60_000 }, async () => {
  const plan = queuePlan({ operation: 'cancel', shape: 'under', windowScale, workers })
  const urls = { first: 'http://127.0.0.1:9' }
  const { verdicts } = await judged({ plan, requests, k6, urls, token: TOKEN, folder: join(folder, 'nobody') })
  expect(verdicts).toMatchObject([{ verdict: 'inconclusive', sentence: expect.stringContaining('without an answer') }])
})

test.concurrent('a k6 that is killed leaves a clear message and no verdict', { timeout: 60_000 }, async () => {
  const server = await startServer({ windowScale })
  const plan = queuePlan({ operation: 'cancel', shape: 'over', windowScale, workers })
  const run = { plan, requests, k6, urls: server.urls, token: TOKEN, folder: join(folder, 'killed') }
  await expect(runLoad({ ...run, signal: AbortSignal.timeout(2500) })).rejects.toThrow(/killed|stopped|aborted/)
  await server.close()
})
