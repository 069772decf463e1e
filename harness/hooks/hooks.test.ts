import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { isAlive } from '../../cli/shared/process.ts'
import type { Hook, Target } from '../../target/types.ts'
import type { Context } from '../rule/context.ts'
import { listening } from '../testing/listening.ts'
import { type RigResult, runOnRig } from '../testing/rig.ts'
import { overHttp } from '../transport/http.ts'
import { createHooks } from './hooks.ts'

const call = { runId: 'r1', pod: 'p1', status: 'ERROR' }
const longMs = 60_000
const folder = mkdtempSync(join(tmpdir(), 'plumbline-hooks-'))

/** A program of one line, in the language that is here anyway. */
function program(line: string, ...words: readonly string[]): Hook {
  return { command: [process.execPath, '-e', line, ...words] }
}

describe('a hook', () => {
  test.each<[says: string, hook: Hook, failure: string | null]>([
    ['that does its work', program('console.log(1)'), null],
    [
      'is told run, pod and status',
      program(`const { PLUMBLINE_RUN, PLUMBLINE_POD, PLUMBLINE_STATUS } = process.env
        console.error(PLUMBLINE_RUN, PLUMBLINE_POD, PLUMBLINE_STATUS); process.exit(3)`),
      'ended with exit code 3: r1 p1 ERROR',
    ],
    ['gets its words as they are', program('console.error(process.argv[1]); process.exit(1)', '$HOME *'), ': $HOME *'],
    ['that says nothing', program('process.exit(2)'), 'ended with exit code 2'],
    ['that is not there', { command: ['./no-such-program'] }, './no-such-program could not be started (ENOENT)'],
    ['that is ended', program('process.kill(process.pid, "SIGTERM")'), 'was ended by SIGTERM'],
    ['at an address without anybody', { url: 'http://127.0.0.1:1' }, 'POST http://127.0.0.1:1 could not connect'],
  ])('%s', async (_, hook, failure) => {
    const http = overHttp()
    const seen = await createHooks(http.send, longMs)(hook, call)
    await http.close()
    expect(seen).toEqual(failure === null ? null : expect.stringContaining(failure))
  })

  test('that takes too long is ended', async () => {
    const http = overHttp()
    const seen = await createHooks(http.send, 500)(program('setTimeout(() => {}, 600_000)'), call)
    await http.close()
    expect(seen).toContain('did not end within 500 ms')
  })

  test.for<[says: string, from: 'limit' | 'run']>([
    ['once its time is over', 'limit'],
    ['once the run is gone', 'run'],
  ])('is ended %s, and what it has started with it', async ([, from]) => {
    const noted = join(folder, from)
    // The shell and what it starts keep none of the output of the hook open.
    const hook = { command: ['sh', '-c', 'sleep 600 2>&- & echo $! $$ >"$1.new"; mv "$1.new" "$1"; wait', 'sh', noted] }
    const run = spawn(process.execPath, ['--input-type=module', '-e', alone, JSON.stringify([hook, call])])
    onTestFinished(() => void run.kill('SIGKILL'))
    await vi.waitUntil(() => existsSync(noted), { timeout: longMs })
    if (from === 'run') run.kill('SIGKILL')
    else run.stdin.write('over')
    const left = readFileSync(noted, 'utf8').trim().split(' ').map(Number)
    expect(left).toHaveLength(2)
    await vi.waitUntil(() => !left.some((id) => isAlive({ id, began: null })), { timeout: longMs })
  })

  test('may be an address', async () => {
    const body = { run: call.runId, pod: call.pod, status: call.status }
    const told: string[] = []
    const url = await serve(async (text) => {
      told.push(text)
      return told.length === 1 ? 204 : 500
    })
    const http = overHttp()
    const run = createHooks(http.send, longMs)
    expect([await run({ url }, call), await run({ url }, call)]).toEqual([null, `POST ${url} answered 500`])
    await http.close()
    expect(told.map((text) => JSON.parse(text))).toEqual([body, body])
  })
})

/** A run of its own, in which the time of a hook is over when it is told so: nobody knows how long one takes to start. */
const alone = `import { createHooks } from ${JSON.stringify(import.meta.resolve('./hooks.ts'))}
  const over = new AbortController()
  AbortSignal.timeout = () => over.signal
  process.stdin.once('data', () => over.abort())
  await createHooks(null, 0)(...JSON.parse(process.argv[1]))
  setTimeout(() => {}, 600_000)`

/** An image with which a pod of the reference ends in ERROR; the hook gives it to a pod that is there already. */
const breaks = `const [base] = process.argv.slice(1)
  const headers = { authorization: 'Bearer plumbline-example-full', 'content-type': 'application/json' }
  const body = JSON.stringify({ image: 'plumbline/error' })
  fetch(base + '/v2/pods/' + process.env.PLUMBLINE_POD, { method: 'PATCH', headers, body }).then(({ status }) =>
    process.exit(status === 200 ? 0 : 1))`

describe('a recipe with a hook', () => {
  test('brings a pod into its status by a command, and is not run again in a replay', async () => {
    const seen = await run((target) => program(breaks, target.pods?.url ?? ''))
    expect(seen.judgements.get('in-error')).toMatchObject({ verdict: 'passed' })
    expect(seen.events.find(({ type }) => type === 'hook')).toMatchObject({
      owner: 'in-error',
      hook: 1,
      status: 'ERROR',
      failure: null,
    })
    expect(seen.replayed).toEqual(seen.judged)
  })

  test('brings a pod into its status by an address', async () => {
    let base = ''
    const url = await serve(async (text) => {
      const { pod } = JSON.parse(text) as { pod: string }
      const headers = { authorization: 'Bearer plumbline-example-full', 'content-type': 'application/json' }
      const body = JSON.stringify({ image: 'plumbline/error' })
      return (await fetch(`${base}/v2/pods/${pod}`, { method: 'PATCH', headers, body })).status
    })
    const seen = await run((target) => {
      base = target.pods?.url ?? ''
      return { url }
    })
    expect(seen.judgements.get('in-error')).toMatchObject({ verdict: 'passed' })
    expect(seen.replayed).toEqual(seen.judged)
  })

  test('that fails leaves what needs the status inconclusive, with the reason', async () => {
    const seen = await run(() => program('console.error("no such host"); process.exit(7)'))
    const reason = expect.stringMatching(/^an ERROR GPU pod: the hook failed: .* ended with exit code 7: no such host$/)
    expect(seen.judgements.get('in-error')).toMatchObject({ verdict: 'inconclusive', reason })
    expect(seen.replayed).toEqual(seen.judged)
  })
})

function run(hook: (target: Target) => Hook): Promise<RigResult> {
  const inError = async ({ fixture, pods, check }: Context) => {
    const pod = await fixture.pod('ERROR')
    const response = await pods.act(pod.id, 'restart')
    check('refused').status(response, 409)
  }
  return runOnRig(
    { 'in-error': { run: inError, row: { area: 'pods' } } },
    {
      over: 'http',
      target: (target) =>
        target.pods === null
          ? target
          : { ...target, pods: { ...target.pods, recipes: { ERROR: { body: {}, actions: [], hook: hook(target) } } } },
    },
  )
}

function serve(answer: (body: string) => Promise<number>): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    response.writeHead(await answer(body)).end()
  })
  return listening(server)
}
