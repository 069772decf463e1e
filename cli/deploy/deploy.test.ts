import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { noPython, python } from '../../harness/testing/workers.ts'
import { summarise } from '../../harness/tool/package.ts'
import { randomBytes, writeProject } from '../../harness/tool/project.ts'
import type { Project } from '../../harness/tool/types.ts'
import { createTool, defaultTool, packed, type Project as Source, ToolRefusal } from '../../reference/deploy/index.ts'
import { runTool } from './program.ts'
import { readSource } from './source.ts'

const folder = mkdtempSync(join(tmpdir(), 'plumbline-tool-'))

const project: Project = {
  name: 'app',
  endpoints: [{ name: 'app-one', type: 'queue', handler: 'main.py:handler', workersMin: 0, workersMax: 1 }],
  dependencies: [
    { name: 'kept', path: 'packages/kept' },
    { name: 'left', path: 'packages/left' },
    { name: 'plumbline-base', path: 'packages/plumbline-base' },
  ],
  exclude: ['left'],
}

const files = {
  'main.py': 'def handler(job):\n    return job["input"]\n',
  'packages/kept/__init__.py': 'NAME = "kept"\n',
  'packages/left/__init__.py': 'NAME = "left"\n',
  'packages/plumbline-base/__init__.py': '',
}

async function write(name: string, tree = { project, files }): Promise<string> {
  const at = join(folder, name)
  mkdirSync(at)
  await writeProject(at, tree)
  return at
}

function run(...words: readonly string[]) {
  const out: string[] = []
  const terminal = { out: (text: string) => void out.push(text), err: (text: string) => void out.push(text) }
  const none = { environment: {}, cwd: folder, live: false, color: false }
  return runTool(words, { ...terminal, ...none } as unknown as Parameters<typeof runTool>[1]).then((code) => ({
    code,
    said: out.join('\n'),
  }))
}

test.each(['tar.gz', 'zip'] as const)(
  'a package is a %s of the code, its dependencies and a manifest',
  async (format) => {
    const source = readSource(await write(format))
    const options = { ...defaultTool, style: { ...defaultTool.style, format } }
    const tool = createTool({} as Parameters<typeof createTool>[0], options)
    const found = await summarise(packed(tool.contents(source), options), () => true)
    expect(found).toMatchObject({ format, paths: ['dependencies/kept/__init__.py', 'main.py', 'manifest.json'] })
    expect(found.texts['main.py']).toBe(files['main.py'])
    expect(JSON.parse(found.texts['manifest.json'] ?? '')).toMatchObject({
      name: 'app',
      resources: { 'app-one': { type: 'queue', functions: ['main.py:handler'] } },
    })
  },
)

test('a package that grows beyond the limit is refused, and no part of it is left', async () => {
  const options = { ...defaultTool, limitBytes: 100_000 }
  const file = { path: 'data.bin', bytes: 200_000, read: () => randomBytes(200_000, 'seed') }
  const drain = async () => {
    for await (const _ of packed([file], options));
  }
  await expect(drain()).rejects.toThrow('the package is larger than 0.0001 GB')
  await expect(drain()).rejects.toBeInstanceOf(ToolRefusal)
})

test.each<[says: string, words: (at: string) => string[], code: number, said: RegExp]>([
  ['builds', (at) => ['build', at, '--out', join(at, '../built.tar.gz')], 0, /^$/],
  [
    'names a wrong defect',
    (at) => ['build', at, '--out', 'x', '--defect', 'exclude-ignore'],
    1,
    /mean exclude-ignored/,
  ],
  ['says which variable is missing', () => ['list'], 1, /PLUMBLINE_DEPLOY_URL is not set/],
  ['refuses unknown commands', () => ['bild'], 2, /unknown command/],
  [
    'fails as a defect',
    (at) => ['--defect', 'build-fails', 'build', at, '--out', join(at, '../none')],
    1,
    /internal error/,
  ],
])('plumbline-deploy %s', async (name, words, code, said) => {
  const at = await write(name.replaceAll(' ', '-'))
  const end = await run(...words(at))
  expect(end.code).toBe(code)
  expect(end.said).toMatch(said)
  expect(existsSync(join(folder, 'none'))).toBe(false)
})

test('random content is the same for a seed and cannot be compressed', async () => {
  const bytes = Buffer.concat([...randomBytes(2_000_000, 'a')])
  expect(bytes.equals(Buffer.concat([...randomBytes(2_000_000, 'a')]))).toBe(true)
  const { bytes: size } = await summarise(
    packed([{ path: 'a', bytes: bytes.length, read: () => [bytes] }], defaultTool),
    () => false,
  )
  expect(size).toBeGreaterThan(2_000_000)
})

test('the adapter of the documentation drives a tool', async ({ skip }) => {
  skip(python === null, noPython)
  const page = readFileSync(join(import.meta.dirname, '../../docs/deploy-driver.md'), 'utf8')
  const [, text = ''] = /```python\n([\s\S]*?)```/.exec(page) ?? []
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(20)
  const adapter = join(folder, 'adapter.py')
  writeFileSync(adapter, text)
  const tool = join(folder, 'acme')
  writeFileSync(
    tool,
    '#!/bin/sh\necho "$@" >> "$ACME_LOG"\n[ "$1" = list ] && echo \'[{"label": "a-one", "ref": "e1"}]\'\nexit 0\n',
  )
  chmodSync(tool, 0o755)
  const at = await write('adapted', { project: project as Source & Project, files })
  const { runCommand } = await import('../../harness/hooks/command.ts')
  const environment = { PATH: `${folder}:${process.env.PATH}`, ACME_LOG: join(folder, 'log') }
  const call = (...words: string[]) =>
    runCommand([python ?? '', adapter, ...words], { environment, limitMs: 30_000, keptOutput: 10_000 })
  onTestFinished(() => rmSync(join(folder, 'log'), { force: true }))
  expect((await call('deploy', at)).ended).toMatchObject({ code: 0 })
  expect(JSON.parse((await call('list')).stdout)).toEqual([{ name: 'a-one', id: 'e1', url: null }])
  expect(readFileSync(join(at, 'acme.ini'), 'utf8')).toContain('[endpoint app-one]')
  expect((await call('build', at, 'package.tgz')).ended).toMatchObject({ code: 0 })
  expect((await call('remove', 'a-one')).ended).toMatchObject({ code: 0 })
  expect(readFileSync(join(folder, 'log'), 'utf8')).toBe(
    'deploy --config acme.ini\nlist --json\npack --config acme.ini --output package.tgz\ndelete a-one\n',
  )
})
