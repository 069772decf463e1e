import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { runHere } from '../shared/testing/in-process.ts'

const cwd = mkdtempSync(join(tmpdir(), 'plumbline-explain-'))
const rule = 'pods.action.exited.stop'

beforeAll(async () => {
  const words = ['check', '--reference', '--only', rule, '--out', 'report']
  expect(await runHere(words, { cwd })).toMatchObject({ code: 0 })
}, 60_000)

test.each<[words: string, parts: readonly RegExp[]]>([
  [
    rule,
    [
      /^pods\.action\.exited\.stop {2}must, stated, profile core\n {2}EXITED \+ stop: 409/,
      /heading "Pod status" of the API description; judged in suites\/\S+\.suite\.ts\n/,
      /\nneeds\n {2}pods: .+\n {2}pod\.exited: /,
      /\nrequests to the reference\n {2}POST \/v2\/pods \(createPod\) .*: 201\n/,
      / {2}refused\n {4}exited-stop-accepted: /,
      /\nlatitudes\n {2}\d+ on which it may not fail: .* serve --list --only pods\n/,
      /rerun it: +\S+ \S+ check --target FILE --only pods\.action\.exited\.stop --profile core\n/,
      /accept it until a day: +\S+ \S+ accept RUN pods\.action\.exited\.stop --until /,
    ],
  ],
  [
    `${rule} report`,
    [/\nrequests in report\n {2}POST /, /\nresult\n {2}passed\n/, /rerun it: .* --reference .* --seed \d+\n$/],
  ],
  ['errors.no-5xx', [/none of its own: it judges every exchange of pods\n/]],
  ['pods.delete report', [/\nrequests in report\n {2}none\n/, /\nresult\n {2}not selected\n/]],
  ['limits.queue.run', [/k6 sends them/, / {4}run-half: /, /load limits --target FILE --only limits\.queue\.run\n/]],
])('explain %s', { timeout: 60_000 }, async (words, parts) => {
  const { code, out } = await runHere(['explain', ...words.split(' ')], { cwd })
  for (const part of parts) expect(out).toMatch(part)
  expect(code).toBe(0)
})

test.each([
  ['pods.action.exitd.stop', 'unknown rule pods.action.exitd.stop; did you mean pods.action.exited.stop?'],
  ['lb.ping-checked', 'lb.ping-checked is retired: The description shows no call that creates an endpoint'],
  ['zzz', 'unknown rule zzz; plumbline rules lists all'],
  [`${rule} none`, 'none does not exist'],
])('explain %s is refused', async (words, message) => {
  const { code, err } = await runHere(['explain', ...words.split(' ')], { cwd })
  expect(err).toContain(`plumbline: ${message}`)
  expect(code).toBe(2)
})
