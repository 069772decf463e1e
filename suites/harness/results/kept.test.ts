import { expect, test } from 'vitest'
import { keptRule, keptVerdict } from './kept.ts'

test.each<[kept: unknown, shown: string]>([
  ['passed', 'passed'],
  ['not-applicable', 'not-applicable'],
  [undefined, 'nothing'],
  [null, 'nothing'],
  ['\u001b]0;passed\u0007', 'something that is no verdict'],
  [{ toString: 'passed' }, 'something that is no verdict'],
  [['passed'], 'something that is no verdict'],
])('the kept verdict %j is shown as %s', (kept, shown) => {
  expect(keptVerdict(kept)).toBe(shown)
})

test.each<[kept: unknown, shown: string]>([
  ['pods.patch.null', 'pods.patch.null'],
  ['\u001b[2Jpods.patch.null', 'something that is no rule'],
  [undefined, 'something that is no rule'],
])('the kept rule %j is shown as %s', (kept, shown) => {
  expect(keptRule(kept)).toBe(shown)
})
