import '../all.ts'
import { expect, test } from 'vitest'
import { allRules } from '../../harness/rule/registry.ts'
import { part } from '../../proof/defects/tools.ts'
import { judgeOn } from '../../proof/judge.ts'

test('deploy.independent is inconclusive if the tool says that it removed an endpoint, and removes nothing', async () => {
  const [judgement] = await judgeOn({
    variants: [{ id: 'removes-nothing', says: 'Nothing is removed.', change: part('removeEndpoint', () => {}) }],
    rules: allRules().filter(({ id }) => id === 'deploy.independent'),
  })
  expect(judgement?.verdict).toBe('inconclusive')
  expect(judgement?.reason).toMatch(/^an endpoint is still listed \d+m?s after the tool removed it$/)
})
