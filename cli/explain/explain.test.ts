import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { runHere } from '../shared/testing/in-process.ts'

const rule = 'pods.action.exited.stop'

test.each<[id: string, parts: readonly RegExp[]]>([
  [
    rule,
    [
      /^pods\.action\.exited\.stop {2}must, stated, profile core\n {2}EXITED \+ stop: 409/,
      /heading "Pod status" of the API description; judged in suites\/\S+\.suite\.ts\n/,
      /\nneeds\n {2}pods: .+\n {2}pod\.exited: /,
      /\nrequests to the reference\n {2}POST \/v2\/pods \(createPod\) .*: 201\n/,
      / {2}refused\n {4}exited-stop-accepted: /,
      /rerun it: +\S+ \S+ check --target FILE --only pods\.action\.exited\.stop --profile core\n/,
      /accept it until a day: +\S+ \S+ accept RUN pods\.action\.exited\.stop --until /,
    ],
  ],
  ['errors.no-5xx', [/none of its own: it judges every exchange of pods\n/]],
  ['limits.queue.run', [/k6 sends them/, / {4}run-half: /, /load limits --target FILE --only limits\.queue\.run\n/]],
])('explain %s', { timeout: 60_000 }, async (id, parts) => {
  const { code, out } = await runHere(['explain', id], { cwd: tmpdir() })
  for (const part of parts) expect(out).toMatch(part)
  expect(code).toBe(0)
})

test.each([
  ['pods.action.exitd.stop', 'unknown rule pods.action.exitd.stop; did you mean pods.action.exited.stop?'],
  ['lb.ping-checked', 'lb.ping-checked is retired: The description shows no call that creates an endpoint'],
  ['zzz', 'unknown rule zzz; plumbline rules lists all'],
])('explain %s is refused', async (id, message) => {
  const { code, err } = await runHere(['explain', id], { cwd: tmpdir() })
  expect(err).toContain(`plumbline: ${message}`)
  expect(code).toBe(2)
})
