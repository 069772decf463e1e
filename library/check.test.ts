import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { serveHere } from '../cli/shared/testing/served.ts'
import type { TargetFile } from '../generated/target-file.ts'
import { check } from './check.ts'

const reference = { reference: true } as const
const token = 'plumbline-example-full'

it('returns the results of the reference and prints nothing', async () => {
  const printed = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write'))
  const results = await check(reference, { only: ['pods.list.full-shape', 'pods.create.mount-size'], seed: 7 })
  expect(results).toMatchObject({ run: { seed: 7 }, verdict: { word: 'conformant', exit: 0 } })
  expect(results.rules.map(({ id, verdict }) => `${id} ${verdict}`)).toContain('pods.create.mount-size passed')
  for (const spy of printed) {
    expect(spy).not.toHaveBeenCalled()
    spy.mockRestore()
  }
})

it('judges a target file, and keeps the record if it is told to', async () => {
  const { cwd } = await serveHere({})
  const results = await check('target.yaml', { cwd, only: ['pods.list.full-shape'], out: 'report' })
  expect(results.verdict.word).toBe('conformant')
  expect(JSON.parse(readFileSync(join(cwd, 'report/results.json'), 'utf8'))).toEqual(results)
})

it('judges a target that is given as a value, and masks its key', async () => {
  const { cwd } = await serveHere({ wrap: (fetch) => withoutLists(fetch) })
  const target = {
    ...(parse(readFileSync(join(cwd, 'target.yaml'), 'utf8')) as TargetFile),
    keys: { full: '$' + '{KEY}' },
  }
  const lines: string[] = []
  const results = await check(target, {
    ...{ cwd, environment: { KEY: 'sk-not-an-example-0123' }, only: ['auth.token-not-echoed'] },
    onLine: (line) => lines.push(line),
  })
  expect(results.verdict.word).toBe('not conformant')
  const shown = JSON.stringify([results, lines])
  expect(shown).toContain('key.full')
  expect(shown).not.toContain('sk-not-an-example')
})

it('removes what it created once it is aborted', async () => {
  let created = 0
  const { cwd, fetch, url } = await serveHere({
    wrap: (fetch) => (request) => {
      if (request.method === 'POST' && request.url.endsWith('/v2/pods')) created++
      return fetch(request)
    },
  })
  const stop = new AbortController()
  const lines: string[] = []
  const run = check('target.yaml', {
    ...{ cwd, only: ['pods.action.*'], signal: stop.signal },
    onLine(line) {
      lines.push(line)
      if (line.includes('rules: ')) stop.abort(new Error('enough'))
    },
  })
  await expect(run).rejects.toThrow('enough')
  expect(created).toBeGreaterThan(0)
  expect(lines.at(-1)).toBe('plumbline: interrupted, and cleaned up')
  const listed = await fetch(new Request(`${url}/v2/pods`, { headers: { authorization: `Bearer ${token}` } }))
  expect(await listed.json()).toEqual({ pods: [] })
  expect(existsSync(join(cwd, '.plumbline/runs')) ? readdirSync(join(cwd, '.plumbline/runs')) : []).toEqual([])
})

it('does not begin if it is aborted already', async () => {
  await expect(check(reference, { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no')
})

it.each([
  ['an unknown rule', reference, { only: ['pods.creat'] }, /^--only: no rule matches pods.creat/],
  ['an unknown profile', reference, { profiles: ['cor'] }, /^--profile: unknown profile "cor"; did you mean core\?/],
  ['a folder of rules that is not there', reference, { rules: 'x' }, /^--rules x: no such folder/],
  ['a target file that is not there', 'x.yaml', {}, /x\.yaml/],
  ['a target without a key', { plumbline: 1, pods: 'https://a.test' } as TargetFile, {}, /keys/],
] as const)('says in one sentence that there is %s', async (_, target, options, sentence) => {
  await expect(check(target, options)).rejects.toThrow(sentence)
})

it.each([
  [undefined, {}, 'expected the path of a target file, its content, or {reference: true}'],
  [reference, { onli: ['pods'] }, 'unknown option "onli"'],
])('refuses %j with the options %j', async (target, options, sentence) => {
  await expect(check(target as never, options as never)).rejects.toThrow(new TypeError(sentence))
})

/** A server that takes any key, lists no pods and shows the key in its error. */
function withoutLists(fetch: (request: Request) => Promise<Response>) {
  return async (request: Request) => {
    const isList = request.method === 'GET' && new URL(request.url).pathname === '/v2/pods'
    if (isList) return Response.json({ title: request.headers.get('authorization') }, { status: 500 })
    const headers = new Headers(request.headers)
    headers.set('authorization', `Bearer ${token}`)
    return fetch(new Request(request, { headers }))
  }
}
