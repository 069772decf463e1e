import { expect, test } from 'vitest'
import { buildResults } from '../../../results/build.ts'
import { eventsOf, sampleFinding, sampleRow, sampleRun, sampleVerdict } from '../../../results/testing/sample.ts'
import type { Results } from '../../../results/types.ts'
import type { Verdict } from '../../../verdicts/verdicts.ts'
import { judgedByBaseline } from './baseline.ts'

const ids = ['pods.a', 'pods.b'] as const

test.each<[before: [Verdict, Verdict], now: [Verdict, Verdict], exit: number]>([
  [['failed', 'passed'], ['failed', 'passed'], 0],
  [['failed', 'inconclusive'], ['failed', 'inconclusive'], 0],
  [['passed', 'inconclusive'], ['passed', 'inconclusive'], 0],
  [['failed', 'passed'], ['failed', 'failed'], 1],
  [['passed', 'passed'], ['passed', 'inconclusive'], 3],
  [['passed', 'passed'], ['passed', 'unclaimed'], 1],
  [['inconclusive', 'inconclusive'], ['inconclusive', 'inconclusive'], 3],
  [['failed', 'passed'], ['failed', 'broken'], 4],
])('%j, then %j: exit code %i', async (before, now, exit) => {
  const judged = judgedByBaseline({ name: 'before', results: await run(before) }, await run(now))
  expect(judged.verdict.exit).toBe(exit)
})

function run(verdicts: readonly [Verdict, Verdict]): Promise<Results> {
  const judged = ids.flatMap((id, at) => {
    const verdict = verdicts[at] ?? 'passed'
    const found = verdict === 'failed' ? [sampleFinding(id, null)] : []
    return [...found, sampleVerdict(id, verdict, { reason: 'a reason' })]
  })
  const end = { type: 'end', endedMs: 0, passedMs: 0, exchanges: 1, stopped: null } as const
  return buildResults(eventsOf([sampleRun(ids), ...judged, end]), { ledger: ids.map((id) => sampleRow(id)) })
}
