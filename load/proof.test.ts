import { describe, expect, test, vi } from 'vitest'
import { type LoadRule, queueLoadRules } from '../harness/rule/load-rules.ts'
import { composeOptions, type ReferenceOptions } from '../reference/index.ts'
import { limiterKindNames } from '../reference/limits/windows.ts'
import { rulingOf } from './analyse/analyse.ts'
import type { LoadDefect } from './defect.ts'
import { loadDefects, queueLoadDefects } from './defects.ts'
import { holding, loadReference, type ReferenceLoad } from './testing/reference.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Decided on endpoints that hold /runsync, /stream and /openai by themselves; rates of 1000 and 2000 have the same judge. */
const decided = only(
  /\.(cancel|purge|requests|concurrent-runsync|concurrent-stream|concurrent-openai|concurrency-released|recovers|rejected-not-executed|status-429|per-operation|per-endpoint|shared-by-keys)$/,
)
/** Decided where the reference takes its time for every response. */
const HOLD_MS = 6000
const scaling = only(/\.scales-with-workers$/)
const slow = only(/\.concurrent-(run|status|cancel|requests)$/)

describe('the reference, whatever its limiter', () => {
  test.each(limiterKindNames)('%s passes every rule', async (limiter) => {
    expect(await verdicts({ rules: decided, change: queued({ limiter }) })).toEqual(allOf(decided, 'passed'))
  })

  test.each(['run', 'status', 'stream'] as const)('%s passes at its full rate', async (operation) => {
    const rules = only(new RegExp(`\\.${operation}$`))
    expect(await verdicts({ rules, change: queued({ limiter: 'sliding-counter' }) })).toEqual(allOf(rules, 'passed'))
  })

  test('requests that are held by a slow answer pass at once', async () => {
    const answered = await verdicts({ rules: slow, change: (options) => slowly(options) })
    expect(answered).toEqual(allOf(slow, 'passed'))
  })

  test('runsync has a rate where workers answer at once', async () => {
    const rules = only(/\.runsync$/)
    expect(await verdicts({ rules, perWorkerRate: 1, change: working })).toEqual(allOf(rules, 'passed'))
  })

  test('nothing is too generous where workers run and nobody says what they add', async () => {
    const found = await verdicts({ rules: only(/\.cancel$/), change: (options) => working(unlimited(options)) })
    expect(found).toEqual({ 'limits.queue.cancel': 'inconclusive' })
  })
})

describe('workers that raise limits', () => {
  test.each(limiterKindNames)('%s passes', async (limiter) => {
    expect(await verdicts(raisingBy({ limiter }))).toEqual(allOf(scaling, 'passed'))
  })

  test('pass if only those count that execute a job', async () => {
    expect(await verdicts(raisingBy({ idleWorkersCount: false }))).toEqual(allOf(scaling, 'passed'))
  })

  test.each<[string, Partial<ReferenceLoad>, RegExp]>([
    [
      'none',
      { change: queued({ perWorkerRate: 10 }) },
      /^0 of the 1 workers that raise the limit of purge executed a job/,
    ],
    ['too many that are needed', { perWorkerRate: { purge: 0.1 } }, /^10 workers would raise no limit to 1.6 times/],
  ])('%s: unverified', async (_, options, reason) => {
    const { undecided } = await load({ ...raisingBy({}), ...options })
    expect([...undecided.values()]).toEqual([{ verdict: 'unverified', reason: expect.stringMatching(reason) }])
  })
})

/** Each defect is tried under one, which its id decides; analyse/limits.test.ts tries all. */
const limiters = ['fixed-window', 'sliding-counter', 'gcra'] as const

describe('a defect of the reference is caught', () => {
  test.each(
    defectsWhere(({ isAlike }) => isAlike !== true).map(
      ([says, defect]) => [says, limiters[defect.id.length % limiters.length] ?? 'gcra', defect] as const,
    ),
  )('%s Its limiter: %s', async (_, limiter, defect) => {
    const isRaising = defect.shows === 'raising'
    const around = isRaising ? raisingBy({ limiter }) : { rules: only(/\.requests$/), change: queued({ limiter }) }
    const isApart = defect.rule.startsWith('limits.queue.per-')
    // Of operations with many requests only the plans about isolation are driven.
    const apart = isApart ? { rules: only(/\.(run|status)$/), shapes: ['smoke', 'isolation'] as const } : null
    const rules = new Set<LoadRule>([defect.rule as LoadRule, ...around.rules, ...(apart?.rules ?? [])])
    const change = (options: ReferenceOptions) => defect.change(around.change(options))
    const { judged } = await load({ ...around, ...apart, rules, change })
    const found = judged.flatMap((one) => one.verdicts).filter(({ rule }) => rule === defect.rule)
    expect(found).toContainEqual(
      expect.objectContaining({ verdict: 'failed', sentence: expect.stringMatching(defect.observed) }),
    )
  })

  test.each(defectsWhere(({ isAlike }) => isAlike === true))('as of its like: %s', async (_, defect) => {
    const around = { workers: working, raising: working, slow: slowly, none: (options: ReferenceOptions) => options }[
      defect.shows ?? 'none'
    ]
    const rule = defect.rule as LoadRule
    const change = (options: ReferenceOptions) => defect.change(around(options))
    // One shape is enough; `over` would send thousands of requests.
    const shapes = ['smoke', defect.shows === 'slow' ? 'concurrency' : 'under'] as const
    const { judged } = await load({ rules: new Set([rule]), perWorkerRate: 1, change, shapes })
    expect(judged.flatMap((one) => one.verdicts).filter((one) => one.rule === rule)).toContainEqual(
      expect.objectContaining({ verdict: 'failed', sentence: expect.stringMatching(defect.observed) }),
    )
  })
})

test('every rule of the queue that load judges is failed by a defect', () => {
  expect(new Set(queueLoadDefects.map(({ rule }) => rule))).toEqual(new Set(queueLoadRules))
})

const load = (options: ReferenceLoad) => loadReference(options)

async function verdicts(options: ReferenceLoad): Promise<Record<string, string>> {
  const { judged, undecided } = await load(options)
  const byRule = Map.groupBy(
    judged.flatMap((one) => one.verdicts),
    ({ rule }) => rule,
  )
  const ruled = [...byRule].map(([rule, shapes]) => [rule, rulingOf(shapes)?.verdict ?? 'none'] as const)
  return Object.fromEntries([...ruled, ...[...undecided].map(([rule, { verdict }]) => [rule, verdict] as const)])
}

function queued(queue: NonNullable<ReferenceOptions['queue']>) {
  return (options: ReferenceOptions) => composeOptions(options, { queue })
}

/** Workers that take every job at once. */
function working(options: ReferenceOptions): ReferenceOptions {
  return { ...options, endpoints: (options.endpoints ?? []).map((one) => ({ ...one, workersMin: 1, workersMax: 1 })) }
}

/** Two workers that execute steps, each of which allows ten requests a window. */
function raisingBy(queue: NonNullable<ReferenceOptions['queue']>) {
  const change = (options: ReferenceOptions) =>
    queued({ perWorkerRate: 10, ...queue })({
      ...options,
      endpoints: (options.endpoints ?? []).map((one) => ({ ...one, workersMin: 2, workersMax: 2 })),
    })
  return { rules: scaling, perWorkerRate: 10, worker: true, change } satisfies ReferenceLoad
}

/** Every response takes its time. */
function slowly(options: ReferenceOptions): ReferenceOptions {
  return holding(working(options), HOLD_MS)
}

function unlimited(options: ReferenceOptions): ReferenceOptions {
  return loadDefects.find(({ id }) => id === 'cancel-unlimited')?.change(options) ?? options
}

function defectsWhere(holds: (defect: LoadDefect) => boolean) {
  return queueLoadDefects.filter(holds).map((defect) => [defect.says, defect] as const)
}

function only(pattern: RegExp): ReadonlySet<LoadRule> {
  return new Set(queueLoadRules.filter((rule) => pattern.test(rule)))
}

function allOf(rules: ReadonlySet<LoadRule>, verdict: string): Record<string, string> {
  return Object.fromEntries([...rules].map((rule) => [rule, verdict]))
}
