import { expect, test } from 'vitest'
import { UsageError } from '../../shared/errors.ts'
import { readCommand } from './command.ts'

test.each([
  ['python3 suites/worker', ['python3', 'suites/worker']],
  [`  'my worker'  "a b" c\\ d '' '$HOME' '*' `, ['my worker', 'a b', 'c d', '', '$HOME', '*']],
  ['node --flag=a=b', ['node', '--flag=a=b']],
])('%s', (line, words) => {
  expect(readCommand('--worker', line)).toEqual(words)
})

test.each([
  ['', '--worker is empty; give a program'],
  ["''", '--worker is empty'],
  ['a | b', 'got |, which needs a shell'],
  ['a && b', 'got &&, which needs a shell'],
  ['a $HOME', 'got $HOME, which needs a shell'],
  ['a *.py', 'got *.py, which needs a shell'],
  ['a # b', 'which needs a shell'],
])('%s is refused', (line, message) => {
  expect(() => readCommand('--worker', line)).toThrow(UsageError)
  expect(() => readCommand('--worker', line)).toThrow(message)
})
