import { execFileSync, spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { serveHere } from '../cli/shared/testing/served.ts'

// A project of a user in which the package is installed as `npm pack` makes it, beside vitest.

const root = join(import.meta.dirname, '..')
const project = mkdtempSync(join(tmpdir(), 'plumbline-project-'))
const acme = join(import.meta.dirname, 'testing', 'acme')

const page = readFileSync(join(root, 'docs/library.md'), 'utf8')
/** The examples of the page, by the name of their file. */
const examples = new Map(
  [...page.matchAll(/<!-- example (\S+) -->\n\n```ts\n([\s\S]*?)```/g)].map(([, name = '', text = '']) => [name, text]),
)

beforeAll(async () => {
  if (!existsSync(join(root, 'dist/library/vitest.js'))) throw new Error('dist/ is missing; run npm run build')
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', project], {
    cwd: root,
  })
  const installed = join(project, 'node_modules', 'plumbline-conformance')
  mkdirSync(installed, { recursive: true })
  const tarball = join(project, String(packed).trim())
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components', '1'])
  for (const name of readdirSync(join(root, 'node_modules')).filter(
    (name) => !name.startsWith('.') && name !== '@plumbline',
  ))
    if (name !== 'plumbline-conformance')
      symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name))
  writeFileSync(join(project, 'package.json'), '{"type": "module"}')
  for (const [name, text] of examples) writeFileSync(join(project, name), text)
})

interface Ended {
  readonly code: number | null
  readonly tests: Readonly<Record<string, string>>
  readonly said: string
}

/** Runs vitest in the project. */
async function vitest(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const report = ['--reporter=json', '--outputFile=report.json', '--reporter=dot']
  const ended = await run([join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...report, ...args], environment)
  const { testResults } = JSON.parse(readFileSync(join(project, 'report.json'), 'utf8')) as Report
  const named = testResults.flatMap(({ assertionResults }) => assertionResults)
  return { ...ended, tests: Object.fromEntries(named.map(({ title, status }) => [title, status])) }
}

/** Runs a script of Node in the project. */
async function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const { VITEST, VITEST_MODE, VITEST_POOL_ID, VITEST_WORKER_ID, NODE_OPTIONS, ...own } = process.env
  const env = { ...own, NO_COLOR: '1', ...environment }
  const child = spawn(process.execPath, args, { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, said }
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[]
  }[]
}

function ran({ tests }: Ended): string[] {
  return Object.entries(tests)
    .filter(([, status]) => status !== 'skipped' && status !== 'pending')
    .map(([title, status]) => `${title} ${status}`)
}

it('holds each file that its pages link, up to what README.md says about a clone', () => {
  const folder = join(project, 'node_modules', 'plumbline-conformance')
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'))
  const links = pages.flatMap((file) => {
    const [text = ''] = readFileSync(join(folder, file), 'utf8').split('\n## In a clone\n')
    const linked = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, to = '']) => to)
    return linked.map((to) => ({ file, to }))
  })
  expect(links.length).toBeGreaterThan(50)
  expect(links.filter(({ file, to }) => !existsSync(join(folder, dirname(file), to)))).toEqual([])
})

describe('docs/library.md', () => {
  it('shows rows and rules as they are in their files', () => {
    const included = [...page.matchAll(/<!-- from (\S+) -->\n\n```\w+\n([\s\S]*?)```/g)]
    expect(included).toHaveLength(2)
    for (const [, file = '', text = ''] of included) expect(readFileSync(join(root, file), 'utf8')).toContain(text)
  })

  it('has an example of check that runs', async () => {
    const { cwd } = await serveHere({})
    copyFileSync(join(cwd, 'target.yaml'), join(project, 'plumbline.yaml'))
    expect(await run([join(project, 'check.ts')])).toEqual({ code: 0, said: '' })
    expect(existsSync(join(project, 'report', 'report.html'))).toBe(true)
  })

  it('has an example of a test of a client that passes', async () => {
    const ended = await vitest(['client.test.ts'])
    expect(ran(ended)).toEqual(['the client lists pods passed'])
  })

  it('has examples whose types a strict compiler accepts', async () => {
    const compilerOptions = { target: 'es2024', module: 'nodenext', strict: true, noEmit: true, types: ['node'] }
    copyFileSync(join(acme, 'rules', 'listed.ts'), join(project, 'listed.ts'))
    copyFileSync(join(acme, 'rules', 'gpus.ts'), join(project, 'gpus.ts'))
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    expect(await run([join(root, 'node_modules', 'typescript', 'bin', 'tsc')])).toEqual({ code: 0, said: '' })
  })
})

describe('the rules as tests of a project', () => {
  it('judges the rules that -t chooses on the reference', async () => {
    const ended = await vitest(['conformance', '-t', 'pods.action.exited'], { PLUMBLINE_TARGET: 'reference' })
    expect(ended.said).not.toContain('Error')
    expect(ran(ended)).toEqual(
      ['restart', 'start', 'stop', 'terminate'].map((action) => `pods.action.exited.${action} passed`),
    )
    expect(Object.keys(ended.tests).length).toBeGreaterThan(300)
  })

  it('judges plumbline.yaml, with rules of a vendor, and fails the test of a broken rule', async () => {
    const { cwd } = await serveHere({
      wrap: (fetch) => async (request) =>
        request.method === 'DELETE' ? new Response(null, { status: 500 }) : fetch(request),
    })
    copyFileSync(join(cwd, 'target.yaml'), join(project, 'plumbline.yaml'))
    const ended = await vitest(['conformance', '-t', '^(acme.pods.quick|pods.delete.*|auth.challenge)$'], {
      PLUMBLINE_RULES: join(acme, 'rules'),
    })
    expect(ended.code).toBe(1)
    expect(ran(ended)).toEqual(expect.arrayContaining(['acme.pods.quick passed', 'auth.challenge passed']))
    expect(ran(ended).filter((line) => line.endsWith('failed'))).not.toEqual([])
    expect(ended.said).toContain('observed status 500')
    expect(existsSync(join(project, '.plumbline'))).toBe(true)
  })

  it('says in one sentence that there is no target', async () => {
    const { code, said } = await vitest(['conformance'], { PLUMBLINE_TARGET: 'nowhere.yaml' })
    expect(code).toBe(1)
    expect(said).toMatch(/nowhere\.yaml/)
  })
})
