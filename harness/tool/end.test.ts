import { expect, test } from 'vitest'
import { endIn, endText, exitIn } from './end.ts'

test.each<[stderr: string, stdout: string, text: string]>([
  ['', '', 'exit code 4'],
  ['\n error: protected\nmore', 'out', 'exit code 4: error: protected'],
  ['', 'only out', 'exit code 4: only out'],
  ['Traceback (most recent call last):\n  File "a"\nKeyError: 1', '', 'exit code 4: KeyError: 1'],
  ['x'.repeat(300), '', `exit code 4: ${'x'.repeat(300)}`],
])('the end of a command that wrote %j and %j', (stderr, stdout, text) => {
  const body = { exit: 4, stdout, stderr }
  expect(endText(endIn(body))).toBe(text)
  expect(exitIn(JSON.stringify(body).slice(0, 12))).toBe('4')
})
