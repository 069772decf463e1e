import '../all.ts'
import { expect, test } from 'vitest'
import { allRules } from '../../harness/rule/registry.ts'
import { judgeOn } from '../../proof/judge.ts'
import type { Outcome } from '../../worker/program.ts'

const outcomes: readonly (readonly [string, Outcome])[] = [
  ['fails each job', { kind: 'failed', message: 'no such file' }],
  ['dies with each job', { kind: 'died' }],
  ['ends each job with another output', { kind: 'completed', output: {} }],
]

test.each(outcomes)('a worker that %s fails no rule about created or deployed endpoints', async (says, outcome) => {
  const judgements = await judgeOn({
    variants: [
      { id: 'broken-worker', says, change: (options) => ({ ...options, worker: { execute: async () => outcome } }) },
    ],
    rules: allRules().filter(({ id }) => /^(endpoints|deploy\.(queue|independent))/.test(id)),
  })
  const [wrong, blocked] = [['failed', 'advice', 'broken'], ['blocked']].map((verdicts) =>
    judgements.filter(({ verdict }) => verdicts.includes(verdict)).map(({ rule }) => rule),
  )
  expect(wrong).toEqual([])
  expect(blocked).toContain('endpoints.from-template')
})
