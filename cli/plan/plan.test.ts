import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHere } from '../shared/testing/in-process.ts'

test.each<[only: string, out: RegExp]>([
  ['pods.action.exited.stop', /; no rule waits\n$/],
  ['queue.*', /; no rule waits\ncritical path:\n {2}\d+ms to /],
])('the rules %s, none of which waits on a controlled clock', { timeout: 60_000 }, async (only, out) => {
  const cwd = mkdtempSync(join(tmpdir(), 'plumbline-plan-'))
  const planned = await runHere(['plan', '--reference', '--only', only], { cwd })
  expect(planned).toMatchObject({ code: 0, out: expect.stringMatching(out) })
})
