import { expect, test } from 'vitest'
import { cut } from './cut.ts'

test.each([
  ['four', 4, 'four'],
  ['fives', 4, 'fiv…'],
  ['ab\u{1f680}cd', 4, 'ab…'],
  ['ab\u{1f680}cd', 5, 'ab\u{1f680}…'],
])('%s in %i units is %s', (text, most, shown) => expect(cut(text, most)).toBe(shown))
