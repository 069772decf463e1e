import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/writing-a-rule.md'), 'utf8')
const included = [...page.matchAll(/<!-- from (\S+) -->\n\n```\w+\n([\s\S]*?)```/g)]

test('docs/writing-a-rule.md includes a row, rules, a defect and a latitude', () => {
  expect(included.map(([, file]) => file)).toEqual([
    'spec/rules/pods-create.yaml',
    'suites/pods/create-refused.suite.ts',
    'suites/pods/action-body.suite.ts',
    'proof/defects/action-effects.ts',
    'proof/latitudes/answers.ts',
  ])
})

test.each(included.map(([, file = '', text = '']) => ({ file, text })))('$file is shown as it is', ({ file, text }) => {
  expect(readFileSync(join(root, file), 'utf8')).toContain(text)
})
