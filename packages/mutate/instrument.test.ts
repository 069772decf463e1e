import { expect, test } from 'vitest'
import { instrument } from './instrument.ts'

const file = 'reference/example.ts'
const instrumentText = (text: string) => instrument([{ file, text }])
const keysOf = async (text: string) => (await instrumentText(text)).mutants.map(({ key }) => key.slice(file.length + 1))

test.each([
  ['export function one(a: number): number { return a + 1 }', 'one ArithmeticOperator: a + 1 → a - 1'],
  ['export const two = (a: number) => a + 1', 'two ArithmeticOperator: a + 1 → a - 1'],
  ['export const table = { three(a: number) { return a + 1 } }', 'three ArithmeticOperator: a + 1 → a - 1'],
  ['export const table = { four: (a: number) => a + 1 }', 'four ArithmeticOperator: a + 1 → a - 1'],
  ['export class Five { five(a: number) { return a + 1 } }', 'five ArithmeticOperator: a + 1 → a - 1'],
  ['export const six = 1 + 1', 'module ArithmeticOperator: 1 + 1 → 1 - 1'],
  ['export function seven(a: number[]) { return a.map((b) => b + 1) }', 'seven ArithmeticOperator: b + 1 → b - 1'],
])('%s has the mutant %s', async (text, key) => expect(await keysOf(text)).toContain(key))

test('a key stays the same when lines move and are broken otherwise', async () => {
  const text = 'export function sum(a: number, b: number) { return a + b * 2 }'
  const moved =
    '// A comment.\nexport const other = 1\n\nexport function sum(a: number, b: number) {\n  return a +\n    b * 2\n}'
  expect((await keysOf(moved)).filter((key) => key.includes('Arithmetic'))).toEqual(
    (await keysOf(text)).filter((key) => key.includes('Arithmetic')),
  )
})

test('equal changes in one function are numbered, and long texts end in a digest', async () => {
  const long = 'a'.repeat(80)
  const keys = await keysOf(`export function twice(a: number, ${long}: number) { return [a + 1, a + 1, ${long} + 1] }`)
  expect(keys.filter((key) => key.includes('Arithmetic'))).toEqual([
    'twice ArithmeticOperator: a + 1 → a - 1',
    'twice ArithmeticOperator: a + 1 → a - 1 (2)',
    expect.stringMatching(/^twice ArithmeticOperator: a{60}… [0-9a-f]{6} → a{60}… [0-9a-f]{6}$/),
  ])
})

test.each([
  ["throw new Refusal(404, 'no such route')", 'text for people'],
  ["const isNew = style.listOrder === 'newest-first'", 'choice of an option'],
  ["const isNew = service.style.a === 'b' || !style.c", 'choice of an option'],
  ['const isLate = life.answerDelayMs > 0', 'choice of an option'],
  ["if (seed === 1) throw new OptionError('seed', 'a string', seed)", 'check of an option'],
])('%s is left out: %s', async (text, reason) => {
  const { mutants, leftOut } = await instrumentText(text)
  expect(Object.keys(leftOut)).toEqual([reason])
  expect(mutants.filter(({ key }) => !/CallExpression: throw/.test(key))).toEqual([])
})

test('a choice beside something else is mutated', async () => {
  expect(await keysOf("if (pod.locked && style.lockedActions === 'without') act()")).toContain(
    "module LogicalOperator: pod.locked && style.lockedActions === 'without' → pod.locked || style.lockedActions === 'without'",
  )
})

test('the code is JavaScript in which a mutant is selected at run time', async () => {
  const { mutants, code } = await instrumentText('export const sum: number = 1 + 2')
  const url = `data:text/javascript,${encodeURIComponent(code.get(file) ?? '')}`
  const valueWith = async (activeMutant: string | undefined) => {
    Object.assign(globalThis, { __stryker__: { activeMutant } })
    try {
      return ((await import(`${url}//${activeMutant}`)) as { sum: number }).sum
    } finally {
      Reflect.deleteProperty(globalThis, '__stryker__')
    }
  }
  expect(await valueWith(undefined)).toBe(3)
  expect(await valueWith(mutants[0]?.id)).toBe(-1)
})
