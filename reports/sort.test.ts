import { expect, test } from 'vitest'
import type { RuleResult } from '../results/types.ts'
import { reasonOf } from './sort.ts'

test.each<[by: string | null, reason: string | null, text: string]>([
  ['pods.create.gpu', 'no pod is found', 'blocked by pods.create.gpu: no pod is found'],
  [
    'an EXITED GPU pod',
    'createPod answered 500',
    'blocked, because it needs an EXITED GPU pod: createPod answered 500',
  ],
  [null, null, 'no reason was recorded'],
])('the reason of a rule that is blocked by %s', (by, reason, text) => {
  expect(reasonOf({ verdict: 'blocked', by, reason } as RuleResult)).toBe(text)
})
