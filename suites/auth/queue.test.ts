import '../all.ts'
import { expect, test } from 'vitest'
import { allRules } from '../../harness/rule/registry.ts'
import { judgeOn } from '../../proof/judge.ts'

test.each([
  { mayNot: ['cancelJob'], verdict: 'passed', reason: null },
  { mayNot: ['purgeQueue', 'cancelJob'], verdict: 'passed', reason: null },
  {
    mayNot: ['purgeQueue'],
    verdict: 'unclaimed',
    reason: expect.stringContaining('endpoint.dedicated is neither given nor declared absent'),
  },
])('a restricted key without $mayNot, and no endpoint to purge: $verdict', async ({ mayNot, verdict, reason }) => {
  const judgements = await judgeOn({
    variants: [
      {
        id: 'no-endpoint-to-purge',
        says: 'There is no dedicated endpoint.',
        file: ({ queue, ...target }) => ({
          ...target,
          grants: { may: [], mayNot },
          queue: queue && { ...queue, endpoints: { ...queue.endpoints, dedicated: null } },
        }),
      },
    ],
    rules: allRules().filter(({ id }) => id === 'auth.queue.forbidden'),
  })
  expect(judgements).toMatchObject([{ verdict, reason }])
})
