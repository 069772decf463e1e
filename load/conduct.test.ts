import { expect, test } from 'vitest'
import type { LoadFacts } from '../harness/record/events.ts'
import { referenceTarget } from '../proof/instance.ts'
import { conductLoad, type Driven, oneByOne } from './conduct.ts'
import { LoadError } from './load-error.ts'
import type { Step } from './queue/steps.ts'

const target = referenceTarget('https://reference.test', 'real')
const load = { rules: ['limits.queue.recovers', 'limits.queue.purge'], windowScale: 1, isSmoke: false }
const batches: string[][] = []

/** All requests are answered 200 at once, which passes below a limit and decides nothing beyond it. */
function drivenOf({ plan }: Step, isBeside: boolean, served = Infinity): Driven {
  const stretches = plan.plane === 'queue' ? plan.stretches : []
  const points = stretches.flatMap(({ operation, endpoint, startMs, count, spacingMs }) =>
    Array.from({ length: count }, (_, n) => {
      const sentMs = startMs + n * spacingMs
      return {
        operation,
        endpoint,
        sentMs,
        receivedMs: sentMs + 1,
        status: n < served ? 200 : 429,
        kind: 'answer' as const,
      }
    }),
  )
  return { points, notes: [], health: [], isBeside }
}

function conduct(
  isBroken: (step: Step) => boolean = () => false,
  maxRequests = Infinity,
  servedOf = (_: Step) => Infinity,
  facts: Partial<LoadFacts> = {},
) {
  batches.length = 0
  return conductLoad({
    target,
    load: { ...load, maxRequests, ...facts },
    action: 'stop',
    perform(batch, done) {
      batches.push(batch.map(({ name }) => name))
      return oneByOne(batch, async (step) => {
        if (isBroken(step)) throw new LoadError('no response')
        done(step, drivenOf(step, batch.length > 1, servedOf(step)))
      })
    },
  })
}

test('a plan that does not pass beside others is driven again, alone, and judged by that', async () => {
  const { judged, brokenOff } = await conduct()
  const together = ['purge-under', 'purge-over', 'purge-burst', 'requests-recovery']
  const again = ['purge-over-alone', 'purge-burst-alone', 'requests-recovery-alone']
  expect(batches).toEqual([['smoke'], together, ...again.map((name) => [name])])
  expect(judged.map(({ step }) => step.name)).toEqual(['smoke', 'purge-under', ...again])
  expect(brokenOff.size).toBe(0)
})

test.each([0, Infinity])(
  'a 429 beside others may be that of a shared limit, so its plan is driven again',
  async (under) => {
    const served: Record<string, number> = { 'purge-burst': 2, 'purge-under': under }
    await conduct(undefined, undefined, ({ name }) => served[name] ?? Infinity)
    expect(batches.slice(2).flat()).toContain('purge-burst-alone')
  },
)

test.each<[facts: Partial<LoadFacts>, again: readonly string[]]>([
  [{}, ['requests-recovery-alone']],
  [{ processes: 2 }, []],
])('an inconclusive plan is driven again, unless others start the processes: %j', async (facts, again) => {
  const { judged } = await conduct(undefined, undefined, undefined, { rules: ['limits.queue.recovers'], ...facts })
  expect(batches.slice(2).flat()).toEqual(again)
  expect(judged.flatMap(({ verdicts }) => verdicts.map(({ verdict }) => verdict))).toEqual(['inconclusive'])
})

test('a plan that failed alone is judged by that, though another of its rules is inconclusive', async () => {
  const { judged } = await conductLoad({
    target,
    load: { ...load, rules: ['limits.queue.per-operation', 'limits.queue.per-endpoint'] },
    action: 'stop',
    perform: (batch, done) =>
      oneByOne(batch, async (step) => {
        const driven = drivenOf(step, false)
        const points = [...driven.points].map((point, n) => ({ ...point, status: statusBeside(point, n) }))
        done(step, step.name === 'smoke' ? driven : { ...driven, points })
      }),
  })
  const isolation = judged.find(({ step }) => step.name.startsWith('cancel-isolation'))
  expect(isolation?.step.name).toBe('cancel-isolation')
  expect(isolation?.verdicts.map(({ verdict }) => verdict)).toEqual(['failed', 'inconclusive'])
})

/** While /cancel is at its limit, other operations are refused and another endpoint is out. */
function statusBeside({ operation, endpoint }: { operation: string; endpoint?: string }, n: number): number {
  if (endpoint === 'second') return 503
  return operation === 'cancel' && n <= 100 ? 200 : 429
}

test('a plan for whose repetition a cap leaves no room is inconclusive, and the others stay judged', async () => {
  const { judged, brokenOff } = await conduct(undefined, 120)
  expect(batches.slice(2)).toEqual([['purge-over-alone'], ['purge-burst-alone']])
  const last = judged.find(({ step }) => step.name === 'requests-recovery')
  const reason =
    'requests-recovery decides nothing by its first attempt, and is not driven again, alone: this load takes'
  expect(last?.verdicts.map(({ verdict, sentence }) => [verdict, sentence])).toEqual([
    ['inconclusive', expect.stringContaining(reason)],
  ])
  expect(brokenOff.size).toBe(0)
})

test('a plan that breaks off ends the plane, and those before it stay judged', async () => {
  const { judged, brokenOff } = await conduct(({ name }) => name === 'purge-over')
  expect(batches).toHaveLength(2)
  expect(judged.map(({ step }) => step.name)).toEqual(['smoke', 'purge-under'])
  expect([...brokenOff]).toEqual([['queue', { verdict: 'unverified', reason: 'no response' }]])
})
