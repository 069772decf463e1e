import { expect, it } from 'vitest'
import type { Context } from '../harness/rule/context.ts'
import type { Scenario } from '../harness/rule/registry.ts'
import type { Judgement } from '../harness/run/judge.ts'
import { rowOf } from '../harness/run/rows.ts'
import { runOnRig } from '../harness/testing/rig.ts'
import { defaultEndpoints } from '../reference/queue/settings.ts'
import { everything } from './jobs.ts'
import { judgeOn } from './judge.ts'
import type { Variant } from './types.ts'

const workers = 3

const fewWorkers: Variant = {
  id: 'few-workers',
  says: 'The normal endpoint has three workers, the dedicated one has one, and no endpoint is known to have two.',
  change: (options) => ({
    ...options,
    endpoints: defaultEndpoints.map((one) => {
      const count = { normal: workers, dedicated: 1 }[one.id]
      return count === undefined ? one : { ...one, workersMin: count, workersMax: count }
    }),
  }),
  file: (target) => ({
    ...target,
    queue: target.queue && { ...target.queue, workers, endpoints: { ...target.queue.endpoints, twoWorkers: null } },
  }),
}

/** They wait for days on an endpoint of their own. */
const longest: ReadonlySet<string> = new Set(['queue.ttl.default', 'queue.ttl.maximum'])

const rules = everything().rules.filter(({ id }) => /^(queue|webhook)\./.test(id) && !longest.has(id))

it.each([1, 2])('rules leave each other enough of three workers (seed %i)', async (seed) => {
  expect(undecided(await judgeOn({ variants: [fewWorkers], rules, seed }))).toEqual([])
})

it('a rule that fills the endpoint waits for those that keep workers of it', async () => {
  const fillers = rules.filter(
    (rule): rule is Scenario => rule.kind === 'scenario' && typeof rule.workers === 'function',
  )
  expect(fillers.length).toBeGreaterThanOrEqual(3)
  const keeper = { run: keepsLong, workers: 1, row: { wait: '10m' } }
  const { judgements } = await runOnRig(
    {
      ...Object.fromEntries(['first', 'second', 'third'].map((name) => [name, keeper])),
      ...Object.fromEntries(
        fillers.map(({ id, kind: _, ...rule }) => [id, { ...rule, row: { parts: rowOf(id).parts } }]),
      ),
    },
    { variants: [fewWorkers], target: (target) => fewWorkers.file?.(target) ?? target },
  )
  expect(undecided([...judgements.values()])).toEqual([])
})

/** Longer than a rule waits for a worker to begin. */
async function keepsLong({ fixture, begun, clock, ended, check }: Context): Promise<void> {
  const job = await fixture.submitted({ steps: [{ hold: 'go' }, { output: 1 }] })
  await begun(job)
  await clock.sleep(300_000)
  job.beacon.release('go')
  const { status, response } = await ended(job)
  check('ended').that(status === 'COMPLETED', 'COMPLETED', status, response)
}

/** Rules that need an endpoint with two workers are unclaimed here. */
function undecided(judgements: readonly Judgement[]): unknown[] {
  return judgements
    .filter(({ verdict }) => verdict !== 'passed' && verdict !== 'observed' && verdict !== 'unclaimed')
    .map(({ rule, verdict, reason, findings }) => [rule, verdict, reason, findings])
}
