import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type RuleRow, rules } from '../../generated/rules.ts'
import { runHere } from '../shared/testing/in-process.ts'
import { serveNaiveQueue } from '../shared/testing/naive-queue.ts'

/** Each verdict on it; beside it, why that is right. The clause that fails first is drawn by the seed. */
const expected = {
  'auth.queue.hidden': 'failed', // nobody is asked for a key
  'auth.queue.invalid': 'failed', // the same
  'auth.queue.missing': 'failed', // the same
  'auth.queue.odd-requests': 'failed', // the same
  'auth.queue.scheme-required': 'advice', // the same
  'queue.body.fuzz': 'failed', // unchecked
  'queue.body.input-missing': 'failed', // unchecked
  'queue.body.input-type': 'failed', // unchecked
  'queue.body.not-json': 'failed', // parsed, unchecked
  'queue.body.policy-types': 'advice', // unchecked
  'queue.body.s3-secret': 'passed', // never shown
  'queue.body.s3config': 'advice', // unchecked
  'queue.body.s3config-kept': 'advice', // not handed on
  'queue.body.ttl-bounds': 'passed', // ignored, so accepted
  'queue.body.webhook': 'advice', // unchecked
  'queue.body.webhook-url': 'advice', // unchecked
  'queue.cancel.finished': 'observed', // there is no /cancel: 404
  'queue.endpoint-unknown': 'failed', // unchecked
  'queue.health.numbers': 'inconclusive', // none is shown
  'queue.health.shape': 'failed', // there is no /health
  'queue.json': 'passed', // all of it
  'queue.odd-requests': 'observed', // unknown routes are 404
  'queue.openai.answers': 'unclaimed', // not in the target file
  'queue.requests.answers': 'unclaimed', // not in the target file
  'queue.retry.unknown': 'failed', // there is no /retry for a job that failed
  'queue.run.accepted': 'passed', // kept
  'queue.run.echo': 'passed', // kept
  'queue.run.unique-ids': 'passed', // counted
  'queue.runsync.completed': 'passed', // kept
  'queue.runsync.failed': 'passed', // kept
  'queue.runsync.then-status': 'passed', // kept
  'queue.status.completed-has-output': 'passed', // kept
  'queue.status.failed': 'passed', // kept
  'queue.status.failed-message': 'passed', // kept
  'queue.status.of-another-endpoint': 'failed', // one list of jobs
  'queue.status.order': 'passed', // final at once
  'queue.status.shape': 'passed', // kept
  'queue.status.unknown': 'passed', // kept
  'queue.status.unknown-404': 'passed',
  'queue.stream.unknown': 'inconclusive', // without a receiver nobody sees whether its job still runs
}

/** Rules of the queue plane that do not wait and do not need what it has not. */
const ids = rules
  .filter(({ id, area, profile }) => (area === 'queue' || id.startsWith('auth.queue.')) && profile === 'core')
  .filter(
    ({ id, needs, wait }: RuleRow) => !needs.includes('receiver') && (wait === null || id === 'queue.status.shape'),
  )
  .map(({ id }) => id)

test('what is wrong with a first day of work, rule by rule', { timeout: 120_000 }, async () => {
  const { code, verdicts } = await judged(ids, 1)
  expect(verdicts).toEqual(expected)
  expect(code).toBe(1)
})

/** Verdicts if /status takes another method, and who is blamed. */
const withoutStatus = {
  'auth.queue.hidden': 'failed',
  'auth.queue.invalid': 'failed',
  'auth.queue.missing': 'failed',
  'queue.body.input-missing': 'failed',
  'queue.body.ttl-bounds': 'passed',
  'queue.endpoint-unknown': 'blocked by queue.status.shape',
  'queue.run.accepted': 'passed',
  'queue.run.echo': 'blocked by queue.status.shape',
  'queue.run.unique-ids': 'blocked by queue.status.shape',
  'queue.runsync.completed': 'passed',
  'queue.status.failed': 'blocked by queue.status.shape',
  'queue.status.of-another-endpoint': 'blocked by queue.status.shape',
  'queue.status.order': 'inconclusive',
  'queue.status.shape': 'failed',
  'queue.status.unknown': 'blocked by queue.status.shape',
}

test('one fault has one failure, whatever the seed is', { timeout: 120_000 }, async () => {
  const runs = [1, 2, 3].map((seed) => judged(Object.keys(withoutStatus), seed, { statusBy: 'POST' }))
  for (const { verdicts } of await Promise.all(runs)) {
    expect(verdicts).toEqual(withoutStatus)
  }
})

/** Judges rules on a naive server: the exit code, and each verdict with the rule that blocked it. */
async function judged(rules: readonly string[], seed: number, naive: Parameters<typeof serveNaiveQueue>[0] = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'plumbline-naive-'))
  const url = await serveNaiveQueue(naive)
  writeFileSync(
    join(cwd, 'target.yaml'),
    `plumbline: 1
queue: {url: '${url}', endpoints: {normal: any, second: another}, worker: true}
keys: {full: plumbline-example-full, stranger: plumbline-example-stranger}
`,
  )
  const only = rules.flatMap((id) => ['--only', id])
  const words = `check --quiet --target target.yaml --seed ${seed} --budget 10m --out out`
  const { code } = await runHere([...words.split(' '), ...only], { cwd })
  return { code, verdicts: Object.fromEntries(verdictsIn(join(cwd, 'out', 'results.json'))) }
}

/** Verdict, and the rule that it is blocked by. */
function verdictsIn(file: string): [string, string][] {
  const results = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly rules: readonly { readonly id: string; readonly verdict: string; readonly by: string | null }[]
  }
  return results.rules.map(({ id, verdict, by }) => [id, by === null ? verdict : `${verdict} by ${by}`])
}
