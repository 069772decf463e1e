import { expect, test } from 'vitest'
import { keptRule, keptVerdict, keptWord } from './kept.ts'

test.each<[kept: unknown, shown: string]>([
  ['passed', 'passed'],
  ['not-applicable', 'not-applicable'],
  [undefined, 'nothing'],
  [null, 'nothing'],
  ['\u001b]0;passed\u0007', 'an unknown verdict'],
  [{ toString: 'passed' }, 'an unknown verdict'],
  [['passed'], 'an unknown verdict'],
])('the kept verdict %j is shown as %s', (kept, shown) => {
  expect(keptVerdict(kept)).toBe(shown)
})

test.each<[kept: unknown, shown: string]>([
  ['pods.patch.null', 'pods.patch.null'],
  ['\u001b[2Jpods.patch.null', 'an unknown rule'],
  [undefined, 'an unknown rule'],
])('the kept rule %j is shown as %s', (kept, shown) => {
  expect(keptRule(kept)).toBe(shown)
})

test.each([
  ['0.1.0-rc.1+5', '0.1.0-rc.1+5'],
  ['\u001b[2J0.1.0', '"\\u001b[2J0.1.0"'],
])('the kept word %j is shown as %s', (kept, shown) => {
  expect(keptWord(kept)).toBe(shown)
})
