import { expect, test } from 'vitest'
import { printable } from './terminal.ts'

test.each<[text: string, color: boolean, shown: string]>([
  ['two\nlines\tand a tab', false, 'two\nlines\tand a tab'],
  ['\u001b[2Jcleared\rover\u0007', false, '\\u001b[2Jcleared\\u000dover\\u0007'],
  ['\u001b[31mred\u001b[39m', false, '\\u001b[31mred\\u001b[39m'],
  ['\u001b[31mred\u001b[39m', true, '\u001b[31mred\u001b[39m'],
  ['\u001b[8mhidden \u001b]0;title\u0007', true, '\\u001b[8mhidden \\u001b]0;title\\u0007'],
  ['\u202egnp.exe', true, '\\u202egnp.exe'],
])('%j, in color: %s', (text, color, shown) => {
  expect(printable(text, color)).toBe(shown)
})
