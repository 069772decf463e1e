import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { WorkerJob, WorkerTools } from '../../../reference/index.ts'
import { UsageError } from '../../shared/errors.ts'
import { isAlive, owningProcess } from '../../shared/process.ts'
import { createProcessWorker } from './process-worker.ts'

const folder = mkdtempSync(join(tmpdir(), 'plumbline-worker-'))

/** A worker program: what it does with each message that it is told. */
const program = (body: string) => `
  const say = (message) => console.log(JSON.stringify(message))
  say({ type: 'ready', v: 1 })
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const told = JSON.parse(line)
    const execution = told.job?.execution ?? told.execution
    ${body}
  })`

async function start(code: string, more: { readyMs?: number } = {}) {
  const complaints: string[] = []
  const worker = await createProcessWorker({
    words: [process.execPath, '-e', code],
    cwd: folder,
    environment: process.env,
    complain: (message) => complaints.push(message),
    ...more,
  })
  onTestFinished(() => worker.close(50))
  return {
    complaints,
    worker,
    execute(input: WorkerJob['input'], tools: Partial<WorkerTools> = {}) {
      const job = { id: 'j', input, s3Config: null, call: 'x1', attempt: 1, execution: 'j.1', worker: 'w' }
      const call = () => Promise.reject(new Error('not called'))
      const emit = () => {}
      return worker.execute(job, { call, signal: new AbortController().signal, emit, env: {}, gpu: null, ...tools })
    },
  }
}

test('what it is told, and how it ends', async () => {
  const { execute } = await start(
    program(`
      if (told.job.input.fail) say({ type: 'failed', execution, message: 'no' })
      else say({ type: 'completed', execution, output: { told, mode: process.env.MODE } })`),
  )
  const gpu = { id: 'gpu-a', count: 1 }
  const env = { MODE: 'test' }
  const job = { id: 'j', input: { a: 1 }, s3Config: null, call: 'x1', attempt: 1, execution: 'j.1', worker: 'w' }
  expect(await execute({ a: 1 }, { env, gpu })).toEqual({
    kind: 'completed',
    output: { told: { type: 'execute', job, env, gpu }, mode: 'test' },
  })
  expect(await execute({ fail: true })).toEqual({ kind: 'failed', message: 'no' })
})

test('partial results are handed on in order', async () => {
  const partials: unknown[] = []
  const { execute } = await start(
    program(`for (const partial of [1, null]) say({ type: 'partial', execution, partial })
      say({ type: 'completed', execution })`),
  )
  const outcome = await execute({}, { emit: (partial) => partials.push(partial) })
  expect(outcome).toEqual({ kind: 'completed', output: undefined })
  expect(partials).toEqual([1, null])
})

test('a process takes one job after the other, and two jobs at once take two', async () => {
  const { execute } = await start(program(`say({ type: 'completed', execution, output: process.pid })`))
  const [first, second] = [await execute({}), await execute({})]
  expect(second).toEqual(first)
  const both = await Promise.all([execute({}), execute({})])
  expect(both[0]).toEqual(first)
  expect(both[1]).not.toEqual(first)
})

test('a process that ends has died, and the next job has another', async () => {
  const { execute } = await start(
    program(`if (told.job.input.exit) process.exit(3)
      say({ type: 'completed', execution, output: 1 })`),
  )
  expect(await execute({ exit: true })).toEqual({ kind: 'died' })
  expect(await execute({})).toEqual({ kind: 'completed', output: 1 })
})

test('a stop is told once, and its response is awaited', async () => {
  const { execute } = await start(program(`if (told.type === 'stop') say({ type: 'stopped', execution })`))
  const stop = new AbortController()
  const outcome = execute({}, { signal: stop.signal })
  stop.abort()
  expect(await outcome).toEqual({ kind: 'stopped' })
  expect(await execute({}, { signal: stop.signal })).toEqual({ kind: 'stopped' })
})

test('a line that is no message ends it, and what it started', async () => {
  const { complaints, execute } = await start(
    program(`require('node:child_process').spawn(process.execPath, ['-e',
        'require("node:fs").writeFileSync("child-" + process.pid, ""); setInterval(() => {}, 1000)'], { stdio: 'inherit' })
      setInterval(() => require('node:fs').readdirSync('.').length > 0 && console.log('hello'), 5)`),
  )
  expect(await execute({})).toEqual({ kind: 'died' })
  expect(complaints[0]).toBe('wrote a line that is not a message, and is ended: hello')
  const [child = ''] = readdirSync(folder)
  const left = owningProcess(Number(child.slice('child-'.length)))
  while (isAlive(left)) await sleep(5)
})

test('what it tells of another execution does not count', async () => {
  const { complaints, execute } = await start(
    program(`say({ type: 'completed', execution: 'other' })
      say({ type: 'failed', execution, message: '' })`),
  )
  expect(await execute({})).toEqual({ kind: 'failed', message: '' })
  expect(complaints).toEqual(['reported other, which is not active'])
})

test('one that does not heed SIGTERM is ended all the same', async () => {
  const { execute, worker } = await start(
    `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); ${program(
      `say({ type: 'completed', execution, output: process.pid })`,
    )}`,
  )
  const outcome = await execute({})
  const left = owningProcess(outcome.kind === 'completed' ? Number(outcome.output) : 0)
  expect(isAlive(left)).toBe(true)
  await worker.close(20)
  expect(isAlive(left)).toBe(false)
})

test.each([
  ['process.exit(3)', 'it ended with exit code 3'],
  ['console.log(`{"type":"ready","v":2}`); setInterval(() => {}, 1000)', 'it ended with SIGKILL'],
  ['setInterval(() => {}, 1000)', 'it sent no ready message within 300 ms'],
])('a program that does %s is refused', async (code, message) => {
  const refused = start(code, { readyMs: message.includes('300') ? 300 : 10_000 })
  await expect(refused).rejects.toThrow(UsageError)
  await expect(refused).rejects.toThrow(message)
})
