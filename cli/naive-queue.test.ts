import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type RuleRow, rules } from '../generated/rules.ts'
import { runHere } from './testing/in-process.ts'
import { serveNaiveQueue } from './testing/naive-queue.ts'

/** Each verdict on it, and of a failure the clause and what was seen; beside it, why that is right. */
const expected = {
  'auth.queue.hidden': 'failed refused: status 200', // nobody is asked for a key
  'auth.queue.invalid': 'failed refused: status 200', // the same
  'auth.queue.missing': 'failed refused: status 200', // the same
  'queue.body.fuzz': 'failed run: status 200 to as-number at $', // unchecked
  'queue.body.input-missing': 'failed empty: status 200', // unchecked
  'queue.body.input-type': 'failed null: status 200', // unchecked
  'queue.body.not-json': 'failed string: status 200', // parsed, unchecked
  'queue.body.ttl-bounds': 'passed', // ignored, so accepted
  'queue.endpoint-unknown': 'failed refused: status 200', // unchecked
  'queue.run.accepted': 'passed', // kept
  'queue.run.echo': 'passed', // kept
  'queue.run.unique-ids': 'passed', // counted
  'queue.runsync.completed': 'passed', // kept
  'queue.status.failed': 'passed', // kept
  'queue.status.of-another-endpoint': 'failed refused: status 200', // one list of jobs
  'queue.status.order': 'passed', // final at once
  'queue.status.shape': 'passed', // kept
  'queue.status.unknown': 'passed', // kept
}

/** Rules of the queue plane that do not wait and do not need what it has not. */
const ids = rules
  .filter(({ id, area, profile }) => (area === 'queue' || id.startsWith('auth.queue.')) && profile === 'core')
  .filter(
    ({ id, needs, wait }: RuleRow) => !needs.includes('receiver') && (wait === null || id === 'queue.status.shape'),
  )
  .map(({ id }) => id)

test('what is wrong with a first day of work, rule by rule', { timeout: 120_000 }, async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'plumbline-naive-'))
  const { url, close } = await serveNaiveQueue()
  onTestFinished(close)
  writeFileSync(
    join(cwd, 'target.yaml'),
    `plumbline: 1
queue: {url: '${url}', endpoints: {normal: any, second: another}, worker: true}
keys: {full: plumbline-example-full, stranger: plumbline-example-stranger}
`,
  )
  const only = ids.flatMap((id) => ['--only', id])
  const words = 'check --quiet --target target.yaml --seed 1 --budget 10m --out out'
  const { code } = await runHere([...words.split(' '), ...only], { cwd })
  expect(Object.fromEntries(verdictsIn(join(cwd, 'out', 'results.json')))).toEqual(expected)
  expect(code).toBe(1)
})

/** Verdict and, of a failure, clause and what was seen. */
function verdictsIn(file: string): [string, string][] {
  const results = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly rules: readonly {
      readonly id: string
      readonly verdict: string
      readonly findings?: readonly { readonly clause: string; readonly observed: string }[]
    }[]
  }
  return results.rules.map(({ id, verdict, findings = [] }) => [
    id,
    [verdict, ...findings.map(({ clause, observed }) => `${clause}: ${observed}`)].join(' '),
  ])
}
