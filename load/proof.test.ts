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
  /\.(cancel|purge|requests|concurrent-runsync|concurrent-stream|concurrent-openai|concurrency-released|recovers|rejected-not-executed|status-429|per-operation|per-endpoint)$/,
)
/** Decided where the reference takes its time for every response. */
const HOLD_MS = 6000
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

/** Each defect is tried under one, which its id decides; analyse/limits.test.ts tries all. */
const limiters = ['fixed-window', 'sliding-counter', 'gcra'] as const

describe('a defect of the reference is caught', () => {
  test.each(
    defectsWhere(({ isAlike }) => isAlike !== true).map(
      ([says, defect]) => [says, limiters[defect.id.length % limiters.length] ?? 'gcra', defect] as const,
    ),
  )('%s Its limiter: %s', async (_, limiter, defect) => {
    const rules = new Set<LoadRule>([defect.rule as LoadRule, 'limits.queue.requests'])
    const change = (options: ReferenceOptions) => defect.change(queued({ limiter })(options))
    const { judged } = await load({ rules, change })
    const found = judged.flatMap((one) => one.verdicts).filter(({ rule }) => rule === defect.rule)
    expect(found).toContainEqual(
      expect.objectContaining({ verdict: 'failed', sentence: expect.stringMatching(defect.observed) }),
    )
  })

  test.each(defectsWhere(({ isAlike }) => isAlike === true))('as of its like: %s', async (_, defect) => {
    const around = { workers: working, slow: slowly, none: (options: ReferenceOptions) => options }[
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
  return Object.fromEntries([...[...byRule].map(([rule, shapes]) => [rule, rulingOf(shapes)?.verdict]), ...undecided])
}

function queued(queue: NonNullable<ReferenceOptions['queue']>) {
  return (options: ReferenceOptions) => composeOptions(options, { queue })
}

/** Workers that take every job at once. */
function working(options: ReferenceOptions): ReferenceOptions {
  return { ...options, endpoints: (options.endpoints ?? []).map((one) => ({ ...one, workersMin: 1, workersMax: 1 })) }
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
