import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHere } from '../shared/testing/in-process.ts'

const cwd = mkdtempSync(join(tmpdir(), 'plumbline-plan-'))

test.each<[only: string, out: RegExp]>([
  ['pods.action.exited.stop', /; no rule waits\n$/],
  ['queue.*', /; no rule waits\ncritical path:\n {2}\d+ms to /],
])('the rules %s, none of which waits on a controlled clock', { timeout: 60_000 }, async (only, out) => {
  const planned = await runHere(['plan', '--reference', '--only', only], { cwd })
  expect(planned).toMatchObject({ code: 0, out: expect.stringMatching(out) })
})

test.each<[only: string, budget: string, isNamed: boolean]>([
  ['pods.delete', '40s', true],
  ['pods.delete', '50s', false],
  ['auth.lb.missing', '40s', false],
])('--only %s --budget %s warns about tolerances.settle: %s', { timeout: 60_000 }, async (only, budget, isNamed) => {
  const url = 'http://127.0.0.1:1'
  const file = `plumbline: 1\npods: ${url}\nlb: {endpoints: {normal: ${url}}}\nkeys: {full: plumbline-example-full}\ntolerances: {settle: 50s}\n`
  writeFileSync(join(cwd, 'target.yaml'), file)
  const { code, out } = await runHere(['plan', '--target', 'target.yaml', '--only', only, '--budget', budget], {
    cwd,
  })
  expect(code).toBe(0)
  expect(out.includes('--budget is shorter than tolerances.settle (50s): ')).toBe(isNamed)
})
