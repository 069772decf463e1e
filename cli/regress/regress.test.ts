import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { listening } from '../../harness/testing/listening.ts'
import type { Answer } from '../shared/comparison/compare.ts'
import { createCommands, until, withDefault } from '../shared/testing/commands.ts'
import { serveNaiveQueue } from '../shared/testing/naive-queue.ts'

const { cwd, run, start, serve, close } = createCommands('regress')
// On a busy machine the answer may be that it is too noisy to say.
const limit = { timeout: 120_000, retry: 2 }

afterAll(close)

/** A list of pods that takes so many ms with so many requests open, and the target file of it. */
async function lists(name: string, msOf: (open: number) => number, statusOf = () => 200): Promise<string> {
  let open = 0
  const server = createServer(async ({ url }, response) => {
    open++
    if (url === '/v2/pods') await sleep(msOf(open))
    open--
    response
      .writeHead(url === '/v2/pods' ? statusOf() : 404, { 'content-type': 'application/json', 'retry-after': '0' })
      .end('[]')
  })
  return target(name, await listening(server))
}

const quick = () => lists('quick', () => 20)
const slow = () => lists('slow', () => 60)

function target(name: string, url: string, more = ''): string {
  writeFileSync(join(cwd, `${name}.yaml`), `plumbline: 1\npods: ${url}\nkeys: {full: '\${API_KEY}'}\n${more}`)
  return `${name}.yaml`
}

const compared = (baseline: string, candidate: string, ...flags: string[]) =>
  run(
    [
      'regress',
      '--baseline',
      baseline,
      '--candidate',
      candidate,
      '--operation',
      'listPods',
      ...withDefault(flags, '--rounds', '8'),
    ],
    { API_KEY: 'plumbline-example-full' },
  )

const measured = (baseline: string, candidate: string, ...flags: string[]) =>
  compared(baseline, candidate, '--no-check', ...flags)

describe('the answers', () => {
  test('no difference between a target and itself', limit, async () => {
    const steady = await lists('steady', () => 20)
    const { code, said } = await measured(steady, steady, '--tolerance', '50%')
    expect(said).toContain('8 rounds, both targets in turn')
    expect(said).toMatch(/^throughput: requests that start at \d+\.\d a second, completed a second$/m)
    expect(said).toContain('regress: no difference')
    expect(code).toBe(0)
  })

  test('slower, as a percentage with its interval', limit, async () => {
    const { code, said } = await measured(await quick(), await slow())
    expect(said).toMatch(/listPods, latency alone: slower by \d+\.\d % \(\d+\.\d % to \d+\.\d %\)/)
    expect(said).toMatch(/listPods, latency under load: slower by/)
    expect(code).toBe(1)
  })

  test('slower only under load: a reference in another process', limit, async () => {
    const even = await serve(['--latency', '20ms'])
    const uneven = await serve(['--defect', 'list-slower-under-load'])
    const { code, said } = await measured(even.target, uneven.target, '--tolerance', '50%', '--json')
    const { answers } = JSON.parse(said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1))
    const kinds = Object.fromEntries(answers.map(({ measure, kind }: Answer) => [measure, kind]))
    expect(['no difference', 'too noisy to say']).toContain(kinds.alone)
    expect(kinds.load).toBe('worse')
    expect(code).toBe(1)
  })

  test('less throughput: requests of the candidate wait for each other', limit, async () => {
    const candidate = await lists('queues', (open) => 20 * open)
    const { code, said } = await measured(await quick(), candidate, '--tolerance', '20%')
    expect(said).toMatch(/listPods, throughput: lower by \d+\.\d %/)
    expect(code).toBe(1)
  })

  test('too noisy to say, with the rounds that may decide', limit, async () => {
    const noisy = await lists('noisy', () => 5 + 80 * Math.random())
    const { code, said } = await measured(noisy, noisy, '--tolerance', '1%')
    expect(said).toMatch(/listPods, latency \w+.*: too noisy to say \(-?\d.*\); --rounds \d+ may decide/)
    expect(code).toBe(3)
  })

  test('more errors and more 429, which count once each', limit, async () => {
    let count = 0
    const failing = await lists(
      'failing',
      () => 20,
      () => ({ 0: 500, 4: 429 })[count++ % 8] ?? 200,
    )
    const { code, said } = await measured(await quick(), failing, '--tolerance', '100%')
    for (const title of ['errors', '429']) expect(said).toMatch(new RegExp(`listPods, ${title}: more by 1\\d\\.\\d %`))
    expect(code).toBe(1)
  })
})

test('a worse verdict is a regression, however fast the candidate is', limit, async () => {
  const good = await serve(['--latency', '30ms'])
  const bad = await serve(['--defect', 'pods-create-cpu-many-400'])
  const only = ['--only', 'pods.create.cpu']
  const { code, said } = await compared(good.target, bad.target, ...only, '--out', 'kept')
  expect(said).toContain('newly failing')
  expect(said).toContain('listPods, latency alone: faster by')
  expect(code).toBe(1)
  const stored = await compared('kept', bad.target, ...only, '--tolerance', '100%')
  expect(stored.said).toContain('the baseline measured at another time')
  expect(stored.said).toContain('no worse than')
  // A busier machine makes it too noisy to say.
  expect([0, 3]).toContain(stored.code)
  expect(readFileSync(join(cwd, 'kept', 'regress.json'), 'utf8')).not.toContain('plumbline-example')
  expect(readFileSync(join(cwd, 'kept', 'report.html'), 'utf8')).toMatch(
    /<svg .*<path class="old" d="M.*<path class="old thick" d="M.*<path class="new thin" d="M/s,
  )
})

test('everything that is created is removed', limit, async () => {
  const { target, url } = await serve([])
  const operations = ['getPod', 'updatePod', 'createPod', 'runJob', 'getJobStatus'].flatMap((one) => [
    '--operation',
    one,
  ])
  const { said } = await measured(target, target, '--rounds', '12', '--json', ...operations)
  const result = JSON.parse(said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1))
  expect(Object.keys(result.candidate.operations)).toContain('deletePod')
  expect(result.candidate.operations.createPod.rounds).toHaveLength(12)
  expect(
    result.answers.filter(
      ({ measure, change }: { measure: string; change: number }) => measure === 'errors' && change > 0,
    ),
  ).toEqual([])
  const headers = { authorization: 'Bearer plumbline-example-full' }
  expect(await (await fetch(`${url}/v2/pods`, { headers })).json()).toEqual({ pods: [] })
  expect(readdirSync(join(cwd, '.plumbline', 'runs'))).toEqual([])
})

test('an interrupted run removes what it created', limit, async () => {
  const { target } = await serve(['--latency', '20ms'])
  const words = ['regress', '--baseline', target, '--candidate', target, '--no-check', '--operation', 'getPod']
  const { child, ended, said } = start(words, { API_KEY: 'plumbline-example-full' })
  await until(() => said().includes('measuring getPod in 20 rounds'))
  child.kill('SIGINT')
  expect(await ended).toMatchObject({
    code: 130,
    said: expect.stringContaining('plumbline: interrupted, and cleaned up'),
  })
  expect(readdirSync(join(cwd, '.plumbline', 'runs'))).toEqual([])
})

describe('the life of a job', () => {
  const jobs = ['--operation', 'runJob', '--rounds', '9', '--no-check']
  const runs = (baseline: string, candidate: string) =>
    run(['regress', '--baseline', baseline, '--candidate', candidate, ...jobs], { API_KEY: 'plumbline-example-full' })

  test('a worker that takes 30 % longer is slower', limit, async () => {
    const { target } = await serve([])
    const text = readFileSync(join(cwd, target), 'utf8')
    const files = [100, 130].map((ms) => {
      const input = `  input: {plumbline: {v: 1, steps: [{sleepMs: ${ms}}]}}`
      writeFileSync(join(cwd, `takes-${ms}.yaml`), text.replace('\nqueue:\n', `\nqueue:\n${input}\n`))
      return `takes-${ms}.yaml`
    })
    const { code, said } = await runs(files[0] ?? '', files[1] ?? '')
    expect(said).toContain('runJob, time of a job in a worker: slower by')
    expect(code).toBe(1)
  })

  test('not reported', limit, async () => {
    const url = await serveNaiveQueue()
    const keys = `keys: {full: '\${API_KEY}'}`
    writeFileSync(join(cwd, 'naive.yaml'), `plumbline: 1\nqueue: {url: ${url}, endpoints: {normal: e1}}\n${keys}\n`)
    const { code, said } = await runs('naive.yaml', 'naive.yaml')
    expect(said).toContain('runJob, time of a job in the queue: not reported')
    expect(said).toContain('runJob, time of a job in a worker: not reported')
    // A target compared with itself is slower in one run of twenty.
    expect([0, 1, 3]).toContain(code)
  })
})

describe('refusals', () => {
  const nowhere = target('nowhere', 'http://127.0.0.1:9')
  const controlled = target('controlled', 'http://127.0.0.1:9', 'clock: {url: http://127.0.0.1:9/clock}\n')
  test.each([
    [controlled, nowhere, [], 2, 'latencies cannot be measured on a controlled clock'],
    [nowhere, nowhere, [], 5, 'gives no response that can be judged'],
    [nowhere, nowhere, ['--rounds', '3'], 2, '--rounds 3 is too few'],
    [nowhere, nowhere, ['--operation', 'getpod'], 2, 'did you mean getPod?'],
    [nowhere, nowhere, ['--operation', 'runJob'], 2, '--operation runJob: not every target file has its plane'],
    [nowhere, nowhere, ['--tolerance', '0'], 2, 'Expected a percentage above 0'],
    ['.', nowhere, [], 2, 'has no regress.json'],
  ])('%s and %s with %j: exit %d', limit, async (baseline, candidate, flags, exit, text) => {
    const { code, said } = await measured(baseline, candidate, ...flags)
    expect(said).toContain(text)
    expect(code).toBe(exit)
  })
})
