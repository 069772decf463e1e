import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'vitest'
import { createCommands } from '../shared/testing/commands.ts'
import { answerMs, openSlow } from '../shared/testing/slow.ts'

const timeout = 180_000

// All wait in real time, so they wait at once.
test.concurrent.for([
  ['drips a byte every 100 ms', 'drip'],
  ['responds just within the tolerance', 'late'],
] as const)('a target that works at first and then %s is named and given up', { timeout }, async ([, how], context) => {
  const { expect } = context
  const { run, slow } = await serveSlow(how, 30, context)
  const startedMs = performance.now()
  const { code, said } = await run(['check', '--target', 'slow.yaml', '--only', 'pods.action.*'])
  const tookMs = performance.now() - startedMs
  expect(said).toMatch(new RegExp(`${slow} is too slow: \\d+ requests in a row took more than 900ms`))
  expect(code).toBe(3)
  expect(tookMs).toBeLessThan(120_000)
})

test.concurrent('fuzz gives up a target that is slow from some moment on', { timeout }, async (context) => {
  const { expect } = context
  const { run, slow } = await serveSlow('drip', 60, context)
  const startedMs = performance.now()
  const { code, said } = await run(['fuzz', '--target', 'slow.yaml', '--runs', '1000', '--seed', '1'])
  expect(said).toMatch(new RegExp(`${slow} is too slow: \\d+ requests in a row took more than 900ms`))
  expect(code).toBe(3)
  expect(performance.now() - startedMs).toBeLessThan(120_000)
})

test.concurrent('plan does without the quotas of a target that drips', { timeout }, async (context) => {
  const { expect } = context
  const { run } = await serveSlow('drip', 0, context)
  const startedMs = performance.now()
  const { code, said } = await run(['plan', '--target', 'slow.yaml'])
  expect(said).toContain(
    'the target gave no response that can be read, so its quotas and the time of a request are not in the plan',
  )
  expect(code).toBe(0)
  expect(performance.now() - startedMs).toBeLessThan(30_000)
})

test.concurrent('load gives up a target that is slow from some moment on', { timeout }, async (context) => {
  const { expect } = context
  const { cwd, run } = await serveSlow('drip', 6, context)
  const k6 = join(cwd, 'k6')
  writeFileSync(k6, '#!/bin/sh\necho "k6 v2.1.0 (go1.24, linux/amd64)"\n')
  chmodSync(k6, 0o755)
  const startedMs = performance.now()
  const { code, said } = await run(['load', 'limits', '--target', 'slow.yaml'], { PLUMBLINE_K6: k6 })
  expect(said).toMatch(/had no complete response within 1000 ms/)
  expect(code).toBe(3)
  expect(performance.now() - startedMs).toBeLessThan(120_000)
})

/** A reference that becomes slow after some requests, with its file `slow.yaml`. */
async function serveSlow(how: 'drip' | 'late', quick: number, context: TestContext) {
  const { cwd, run, serve, close } = createCommands(`slow-${how}`)
  context.onTestFinished(close)
  const { target, url } = await serve([])
  const slow = await openSlow(url, how, quick)
  const text = readFileSync(join(cwd, target), 'utf8').replaceAll(url, slow)
  writeFileSync(join(cwd, 'slow.yaml'), `${text}\ntolerances: {answer: ${answerMs}ms}\n`)
  return { cwd, run, slow }
}
