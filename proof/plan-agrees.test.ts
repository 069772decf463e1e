import { describe, expect, it } from 'vitest'
import { needsOf } from '../harness/claims/claims.ts'
import { type PlanOptions, planFor } from '../harness/plan/plan.ts'
import type { Plan } from '../harness/plan/types.ts'
import { rowOf } from '../harness/run/rows.ts'
import type { Life } from '../reference/life.ts'
import { limiterOf } from '../reference/limits/limiter.ts'
import { defaultEndpoints } from '../reference/queue/settings.ts'
import type { EndpointRole } from '../target/types.ts'
import { createInstance } from './instance.ts'
import { everything } from './jobs.ts'
import { judgeOn } from './judge.ts'
import { optioned, startsAtOnce } from './latitudes/tools.ts'
import type { Variant } from './types.ts'

const core = everything().rules.filter(({ id }) => rowOf(id).profile === 'core')
const about = (plane: string) => core.filter(({ id }) => needsOf(rowOf(id)).includes(plane))

/** The length of a run as a share of its plan. */
interface Shares {
  readonly time: number
  readonly requests: number
  readonly plan: Plan
}

async function run(variant: Variant, { rules, windows = [] }: Pick<PlanOptions, 'rules' | 'windows'>): Promise<Shares> {
  const target = { ...createInstance([variant]).target, clock: 'real' as const }
  const plan = planFor({ target, rules, rowOf, budgetMs: null, windows })
  const moments: number[] = []
  await judgeOn({
    variants: [variant],
    rules,
    asReal: true,
    exchanged: ({ sent, received }) => moments.push(sent.target, received.target),
  })
  const tookMs = Math.max(...moments) - Math.min(...moments)
  return { time: tookMs / plan.expectedMs, requests: moments.length / 2 / plan.requests, plan }
}

function expectWithin(percent: number, { time, requests }: Shares): void {
  for (const one of [time, requests]) {
    expect(one).toBeGreaterThan(1 - percent / 100)
    expect(one).toBeLessThan(1 + percent / 100)
  }
}

describe('at 60 requests a minute a run takes as long as its plan says, within a tenth', () => {
  const lives = {
    slow: { provisioningMs: 30_000, startingMs: 30_000 },
    usual: {},
    instant: { provisioningMs: 0, startingMs: 0 },
  } satisfies Readonly<Record<string, Partial<Life>>>

  it.each([
    ['slow', 'fixed-window'],
    ['usual', 'gcra'],
    ['instant', 'sliding-log'],
  ] as const)('%s pods, %s', async (life, kind) => {
    const options = { quotas: { minute: 60 }, limiter: limiterOf(kind), life: lives[life] }
    const limited = optioned('limited', 'It is limited.', options, life === 'instant' ? startsAtOnce : {})
    const windows = [{ name: 'minute', remaining: 60, resetMs: 60_000, policy: { quota: 60, lengthMs: 60_000 } }]
    const seen = await run(limited, { rules: about('pods'), windows })
    expect(seen.plan.bound).toBe('requests')
    expectWithin(10, seen)
  })
})

describe('with few workers a run takes as long as its plan says, within 15 percent', () => {
  const none = { dedicated: null, second: null, scaleToZero: null, executionTimeout: null, noExecutionTimeout: null }
  const few = (workers: number, roles: Partial<Readonly<Record<Exclude<EndpointRole, 'normal'>, null>>>): Variant => ({
    id: 'few-workers',
    says: 'The normal endpoint has few workers.',
    change: (options) => ({
      ...options,
      endpoints: defaultEndpoints.map((one) =>
        one.id === 'normal' ? { ...one, workersMin: workers, workersMax: workers } : one,
      ),
    }),
    file: ({ queue, ...target }) => ({
      ...target,
      queue: queue && { ...queue, workers, endpoints: { ...queue.endpoints, twoWorkers: null, ...roles } },
    }),
  })

  it.each([3])('%i, and an endpoint for each part', async (workers) => {
    expectWithin(15, await run(few(workers, {}), { rules: about('queue') }))
  })

  it.each([1])('%i, and one endpoint for all', async (workers) => {
    expectWithin(15, await run(few(workers, none), { rules: about('queue') }))
  })
})
