import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createCommands, textOf, until } from '../shared/testing/commands.ts'

// A load that is killed, against a served reference; what stands for k6 does nothing until it is killed as well.

const { cwd, start, serve, close } = createCommands('sweep-load')

afterAll(close)

test('kill -9 leaves jobs that sweep purges, from the endpoint marked dedicated alone', {
  timeout: 120_000,
}, async () => {
  const { target } = await serve([])
  const text = readFileSync(join(cwd, target), 'utf8')
  const url = /url: (\S+)/.exec(text)?.[1] ?? ''
  writeFileSync(join(cwd, 'other.yaml'), text.replace('dedicated: dedicated', 'dedicated: another'))
  const k6 = join(cwd, 'k6')
  const lines = [
    '#!/bin/sh',
    '[ "$1" = version ] && echo "k6 v2.1.0 (go1.26)" && exit',
    `echo "$$ began" > ${cwd}/k6.id`,
  ]
  writeFileSync(k6, [...lines, 'exec sleep 600', ''].join('\n'), { mode: 0o755 })

  const load = start(['load', 'limits', '--target', target, '--only', 'limits.queue.cancel'], {
    PLUMBLINE_K6: k6,
  })
  const k6Id = Number.parseInt(await textOf(join(cwd, 'k6.id'), 'began'), 10)
  // As many as the workers there take, and more, which wait.
  const jobs = await Promise.all(Array.from({ length: 8 }, () => submit(url)))
  await until(async () => (await waiting(url, jobs)).length > 0)
  // The stand-in for k6 keeps its output open.
  const exited = once(load.child, 'exit')
  const { pid = 0 } = load.child
  const child = await childOf(pid)
  // Neither may see the other die, for it would end k6.
  for (const id of [child, pid]) process.kill(id, 'SIGSTOP')
  for (const id of [child, pid]) process.kill(id, 'SIGKILL')
  await exited
  expect(await sweep()).toMatchObject({ said: expect.stringContaining(`is still active (process ${k6Id})`) })
  process.kill(k6Id, 'SIGKILL')
  await until(async () => !(await sweep('--target', 'other.yaml')).said.includes('under way'))

  const refused = await sweep('--target', 'other.yaml')
  expect(refused.said).toContain('the target file does not mark this endpoint dedicated, so it is not purged')
  expect(refused.code).toBe(3)
  expect(await waiting(url, jobs)).not.toEqual([])

  expect(await sweep()).toEqual({ code: 0, said: expect.stringContaining('the queue of endpoint dedicated purged') })
  expect(await waiting(url, jobs)).toEqual([])
  expect(readdirSync(join(cwd, '.plumbline', 'runs'))).toEqual([])
})

/** The process that runs the rules of a command. */
async function childOf(parent: number): Promise<number> {
  const [run = ''] = readdirSync(join(cwd, '.plumbline', 'runs'))
  const owner = await textOf(join(cwd, '.plumbline', 'runs', run, 'owner.json'), 'processes')
  const { processes } = JSON.parse(owner) as { processes: readonly { readonly id: number }[] }
  return processes.map(({ id }) => id).find((id) => id !== parent) ?? 0
}

function sweep(...args: readonly string[]) {
  return start(['sweep', ...args]).ended
}

async function submit(url: string): Promise<string> {
  const input = { plumbline: { v: 1, steps: [{ sleepMs: 300_000 }] } }
  return (await call(`${url}/v2/dedicated/run`, { input })).id ?? ''
}

async function waiting(url: string, jobs: readonly string[]): Promise<string[]> {
  const answers = await Promise.all(jobs.map((job) => call(`${url}/v2/dedicated/status/${job}`)))
  return answers.flatMap(({ id, status }) => (status === 'IN_QUEUE' && id !== undefined ? [id] : []))
}

async function call(url: string, body?: unknown): Promise<{ readonly id?: string; readonly status?: string }> {
  const headers = { authorization: 'Bearer plumbline-example-full', 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  return (await fetch(url, { headers, ...sent })).json() as Promise<{ id?: string; status?: string }>
}
