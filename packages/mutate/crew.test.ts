import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { type Baseline, judgeMutants, judgeReference } from './crew.ts'
import { instrument, type Mutant } from './instrument.ts'

const root = join(import.meta.dirname, '..', '..')
const rules = ['pods.action.exited.stop']
const files = ['reference/pods/lifecycle.ts', 'reference/auth/authenticate.ts']
const sources = files.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
const { mutants, code } = await instrument(sources)
const setupOf = (change: (text: string) => string) => ({
  code: new Map([...code].map(([file, text]) => [pathToFileURL(join(root, file)).href, change(text)])),
  rules,
})
const unchanged = setupOf((text) => text)
const named = (part: string): Mutant => {
  const found = mutants.find(({ key }) => key.includes(part))
  if (found === undefined) throw new Error(`no mutant ${part}`)
  return found
}

test('mutants are judged against the verdicts of the reference', async () => {
  const baseline = await judgeReference(unchanged, 10)
  const unreached = named('isRefusedByLock EqualityOperator')
  expect(baseline.reached.has(unreached.id)).toBe(false)
  const chosen = [
    named('permit ConditionalExpression: !tables.actions[pod.status].includes(action) → false'),
    named('module StringLiteral: \'Bearer\' → ""'),
    unreached,
  ]
  expect(chosen.map(({ id }) => baseline.fresh.has(id))).toEqual([false, true, false])
  const done: string[] = []
  const outcomes = await judgeMutants(chosen, unchanged, baseline, ({ mutant }) => done.push(mutant.id))
  expect(outcomes).toMatchObject([
    {
      mutant: chosen[0],
      status: 'killed',
      by: { rule: rules[0], why: 'refused: expected status 409; observed status 200' },
    },
    { mutant: chosen[1], status: 'killed' },
    { mutant: chosen[2], status: 'survived', by: null },
  ])
  expect(done.toSorted()).toEqual(chosen.map(({ id }) => id).toSorted())
}, 120_000)

test.each([
  ['for (;;) {}', 300, 'timeout', 'not done after 0.3 s'],
  ['await new Promise(() => {})', 60_000, 'timeout', 'every rule waits for something that never comes'],
  ["throw new Error('wrong')", 60_000, 'killed', 'the thread crashed: wrong'],
])(
  'a mutant that loads with %s',
  async (statement, limitMs, status, why) => {
    const baseline: Baseline = { expected: [], reached: new Set(), fresh: new Set(), limitMs }
    const setup = setupOf((text) => `${text}\n${statement}`)
    const [outcome] = await judgeMutants([named('permit')], setup, baseline)
    expect(outcome).toMatchObject({ status, by: { rule: '', why } })
  },
  120_000,
)

test('a rule that fails on the reference is an error', async () => {
  const wrong = setupOf((text) => text.replace('return null', 'throw new Error()'))
  await expect(judgeReference(wrong, 10)).rejects.toThrow(/on the reference/)
}, 120_000)
