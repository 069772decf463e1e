import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { noPython, python } from '../../harness/testing/workers.ts'

const page = readFileSync(join(import.meta.dirname, '../../spec/worker.md'), 'utf8')

/** Runs Python in the folder of the worker, without leaving compiled files there. */
const runPython = (...words: string[]) =>
  spawnSync(python ?? '', ['-B', ...words], { cwd: import.meta.dirname, encoding: 'utf8' })

test('the tests of the conformance worker in Python', { timeout: 120_000 }, ({ skip }) => {
  skip(python === null, noPython)
  const { status, stderr } = runPython('-m', 'unittest', 'discover', '-s', '.')
  expect(stderr).toMatch(/\nRan \d\d tests in /)
  expect(stderr).toMatch(/\nOK\n$/)
  expect(status).toBe(0)
})

test('its page names the steps that it knows, and shows a plan that it follows', ({ skip }) => {
  skip(python === null, noPython)
  const steps = [...page.matchAll(/^\| `\{"(\w+)": .*?\}` /gm)]
    .map(([, name]) => name)
    .filter((name) => name !== 'type')
  expect(JSON.parse(runPython('-c', 'import json, plan; print(json.dumps(list(plan.CHECKS)))').stdout)).toEqual(steps)
  const [, example = ''] = /```json\n(.*?)```/s.exec(page) ?? []
  const read = 'import json, sys, plan; print(json.dumps(plan.read_plan(json.loads(sys.argv[1])["input"]).steps))'
  expect(JSON.parse(runPython('-c', read, example).stdout)).toEqual(JSON.parse(example).input.plumbline.steps)
})
