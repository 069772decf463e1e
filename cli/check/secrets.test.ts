import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { changes, encodings, someKey, waysIn, writers } from '../../harness/testing/encodings.ts'
import { formatNames } from '../../reports/format-names.ts'
import { createCommands } from '../shared/testing/commands.ts'
import { openGateway } from '../shared/testing/gateway.ts'

const commands = createCommands('secrets')
const { cwd } = commands
const reference = commands.serve(['--clock', 'control'])

afterAll(commands.close)

/** `PLUMBLINE_KEYS=100 npm run own -- cli/check/secrets.test.ts` tries as many keys. */
const keys = fc.sample(someKey, { numRuns: Number(process.env.PLUMBLINE_KEYS ?? 1), seed: 24 })
const [first = ''] = keys

/** A key in every form, by the change of the key itself. */
function formsOf(key: string): string[][] {
  return Object.values(changes).map((change) => Object.values(encodings).map((encode) => encode(change(key))))
}

test('a key that a target repeats before anything is judged is not on the terminal', async () => {
  const { url } = await commands.serve([])
  const redirect = {
    status: 302,
    headers: { 'Content-Type': 'text/html', Location: `/login/${encodeURIComponent(first)}` },
    text: '',
  }
  const gateway = await openGateway(url, () => redirect)
  writeFileSync(join(cwd, 'moved.yaml'), `plumbline: 1\npods: ${gateway}\nkeys: {full: "\${KEY}"}\n`)
  const checked = await commands.run(['check', '--target', 'moved.yaml'], { KEY: first })
  expect(checked).toEqual({ code: 2, said: expect.stringContaining('a redirect to /login/«key.full», which') })
})

test.each(keys.map((key, n) => [n + 1, key] as const))(
  'a target that repeats key %i in every form leaves it in no file, and its record replays byte for byte',
  { timeout: 300_000 },
  async (n, key) => {
    const served = await reference
    const shapes = formsOf(key)
    const forms = shapes.flat()
    const places = new Map<string, number>()
    const echoed = new Set<string>()
    const target = parse(readFileSync(join(cwd, served.target), 'utf8'))
    const [, write = JSON.stringify] = writers
    const gateway = await openGateway(
      target.pods.url,
      ({ method, path, token, status, text }) => {
        if (!text.startsWith('{') || token !== key) return { text }
        // The same for each request to a pod: the marks of two forms are equal, and a pod would no longer seem to change.
        const place = places.get(path) ?? places.size
        places.set(path, place)
        const form = forms[place % forms.length]
        const inHeaders = shapes[place % shapes.length]
          ?.filter((one) => !one.includes('\n'))
          .map((one, at) => [`X-Echo-${at}`, one])
        const shown = method === 'GET' && status === 200 ? { image: form } : { detail: `no ${form}` }
        // A quarter of the forms at a quarter of the paths, because searching them takes long; most requests have the first path.
        const echo = [1, 2, 3, 4].includes(place % 16) ? forms.filter((_, at) => (at + place) % 4 === 0) : []
        for (const one of echo) echoed.add(one)
        return {
          text: write({ ...JSON.parse(text), ...shown, echo }),
          headers: Object.fromEntries(inHeaders ?? []),
        }
      },
      (token) => (token === key ? 'plumbline-example-full' : token),
    )
    const file = { plumbline: 1, pods: { url: gateway, gpu: { id: 'gpu-a' } }, clock: target.clock }
    writeFileSync(join(cwd, 'target.yaml'), `${stringify(file)}keys: {full: "\${KEY}"}\n`)
    const most = ['pods.create.gpu', 'pods.action-body.missing', 'errors.no-leak', 'auth.token-not-echoed']
    const only = n === 1 ? most : ['pods.list.contains']
    const [out, again] = [`out-${n}`, `again-${n}`]
    const words = ['--seed', '1', '--out', out, ...only.flatMap((id) => ['--only', id])]
    words.push(...formatNames.flatMap((format) => ['--format', `${format}=${join(out, `report.${format}`)}`]))
    const github = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(cwd, out, 'summary.md') }
    const checked = await commands.run(['check', '--target', 'target.yaml', ...words], { KEY: key, ...github })
    const replayed = await commands.run(['replay', out, '--out', again])
    if (n === 1) {
      expect(checked).toMatchObject({ code: 1, said: expect.stringContaining('«key.full»') })
      expect(echoed).toEqual(new Set(forms))
    }
    expect(replayed.code, replayed.said).toBe(checked.code)
    expect(replayed.said).toContain('results.json beside the record matches the record')
    const texts = [out, again].flatMap((folder) =>
      readdirSync(join(cwd, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => [join(folder, name), readFileSync(join(parentPath, name), 'utf8')] as const),
    )
    expect(texts.map(([name]) => name)).toEqual(expect.arrayContaining([`${out}/summary.md`, `${out}/report.sarif`]))
    expect(texts.find(([name]) => name.endsWith('evidence.ndjson'))?.[1]).toContain('«key.full»')
    for (const [name, text] of [...texts, ['terminal', checked.said + replayed.said] as const]) {
      expect([name, waysIn(text, key)]).toEqual([name, []])
    }
    const [before, after] = [out, again].map((folder) => readFileSync(join(cwd, folder, 'results.json'), 'utf8'))
    expect(after).toBe(before)
  },
)
