import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// The part of plain English that a machine can check.

const root = join(import.meta.dirname, '..')
const code = 'bench cli harness library load packages proof reference reports results scripts'
const rooms = `${code} spec suites target target-file traffic verdicts`.split(' ')

/** A documentation comment that begins with a question. */
const asks = /\/\*\*(?:\s*\*)?\s+(?:What|Whether)\b.*/g
/** A function, method or member whose name is a question and whose type says that it returns nothing. */
const silentQuestion = /\b(?:is|has)[A-Z]\w*\s*[:=]?\s*\((?:[^()]|\([^()]*\))*\)\s*(?::|=>)\s*(?:Promise<void>|void\b)/g

test.each(rooms)('no comment of %s/ begins with What or Whether', (room) => {
  expect(found(`${room}/**/*.{ts,mjs}`, asks)).toEqual([])
})

test('a predicate returns an answer', () => {
  const names = found(`{${rooms.join()}}/**/*.ts`, silentQuestion).map((text) => text.replace(/\W*\([\s\S]*/, ''))
  expect(names).toEqual([])
})

test.each([
  [asks, '/** What a key holds. */'],
  [asks, '/**\n * Whether a key holds. */'],
  [silentQuestion, 'function isAccepted(pod: Pod): void {'],
  [silentQuestion, 'async function hasEnded(\n  pods: (id: string) => Pod,\n): Promise<void> {'],
  [silentQuestion, 'readonly isLeft: (name: string) => void'],
])('%s finds %s', (pattern, text) => expect(text.match(pattern)).not.toBeNull())

test('a predicate that returns an answer is not found', () => {
  expect('function isTerminated(pod: Pod): boolean {'.match(silentQuestion)).toBeNull()
})

function found(files: string, pattern: RegExp): string[] {
  return globSync(files, { cwd: root, exclude: ['**/node_modules/**'] }).flatMap((file) => {
    const matches = readFileSync(join(root, file), 'utf8').match(pattern) ?? []
    return matches.map((text) => `${file}: ${text}`)
  })
}
