import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { freePort } from '../harness/testing/listening.ts'

// The action and the examples of docs/ci.md are run as the services run them, against the reference as `./server`. Only
// the installation and the steps of others are left out, and the examples judge one rule in place of all.

const root = join(import.meta.dirname, '..')
const action = parse(readFileSync(join(root, 'action.yml'), 'utf8'))
const guide = readFileSync(join(root, 'docs', 'ci.md'), 'utf8')
const rule = 'pods.action.exited.stop'

interface Step {
  readonly name: string
  readonly run?: string
  readonly uses?: string
  readonly if?: string
  readonly env?: Readonly<Record<string, string>>
}

const steps: readonly Step[] = action.runs.steps

let cwd: string
let port: number

beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'plumbline-ci-'))
  port = await freePort()
  const main = join(root, 'cli', 'main.ts')
  program('server', `exec '${process.execPath}' '${main}' serve --clock control "$@"`)
  program('bin/plumbline', `exec '${process.execPath}' '${main}' "$@"`)
  program('bin/npm', `echo "$PWD $*" >> '${join(cwd, 'npm-calls')}'`)
  mkdirSync(join(cwd, 'plumbline', 'bin'), { recursive: true })
  writeFileSync(join(cwd, 'plumbline', 'bin', 'plumbline.js'), `import(${JSON.stringify(main)})`)
  writeFileSync(
    join(cwd, 'plumbline.yaml'),
    `plumbline: 1\npods: http://127.0.0.1:${port}\nclock: {url: 'http://127.0.0.1:${port}/plumbline/clock'}\nkeys: {full: "\${API_KEY}"}\n`,
  )
})

describe('the action', () => {
  test('has no input in a script, and its inputs are those of the guide', () => {
    for (const { run = '' } of steps) expect(run).not.toContain('${{')
    const [row] = guide.split('| input | default | meaning |')[1]?.split('\n\n') ?? []
    const described = [...(row ?? '').matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? [])
    expect(described).toEqual(Object.keys(action.inputs))
  })

  test('uploads whatever has become of the run, and removes what it left unless the server is gone', () => {
    const [, , sweep, upload] = steps
    expect([sweep?.if, upload?.if]).toEqual(["always() && inputs.start == ''", "always() && inputs.artifact != ''"])
    expect(runStep(2, {})).toMatchObject({ status: 0, said: 'nothing to sweep: no run has a ledger here\n' })
    mkdirSync(join(cwd, '.plumbline', 'runs', 'r0123456789'), { recursive: true })
    writeFileSync(join(cwd, '.plumbline', 'runs', 'r0123456789', 'resources.ndjson'), '')
    const left = runStep(2, {})
    expect(left.status).toBe(0)
    expect(left.said).toContain(
      '::warning title=plumbline sweep::exit code 3: something may be left; the log says what',
    )
  })

  test('installs itself once', () => {
    runStep(0, {})
    expect(readFileSync(join(cwd, 'npm-calls'), 'utf8')).toBe(`${join(cwd, 'plumbline')} ci --no-audit --no-fund\n`)
    mkdirSync(join(cwd, 'plumbline', 'node_modules'))
    runStep(0, {})
    expect(readFileSync(join(cwd, 'npm-calls'), 'utf8').split('\n')).toHaveLength(2)
  })

  test('judges a target that it starts, and shows the results', () => {
    const seen = runStep(1, { ...exampleOfGithub(), only: `${rule}\nauth.pods.missing\n`, format: 'ctrf=ctrf.json' })
    expect(seen.said).toContain('::notice file=plumbline.yaml,line=1,title=plumbline%3A conformant::conformant: core')
    expect(seen).toMatchObject({ status: 0, output: 'exit-code=0\n' })
    expect(seen.summary).toMatch(/^## ✅ Plumbline: conformant\n/)
    for (const file of ['report.html', 'junit.xml', 'results.json', 'plumbline.sarif'])
      expect(existsSync(join(cwd, 'plumbline-report', file))).toBe(true)
    expect(JSON.parse(readFileSync(join(cwd, 'ctrf.json'), 'utf8')).results.summary.tests).toBe(2)
  })

  test('fails with the exit code of a target that does not conform', () => {
    const start = `./server --port ${port} --defect exited-stop-accepted`
    const seen = runStep(1, { ...exampleOfGithub(), start, only: rule })
    expect(seen.said).toContain(`::error file=plumbline.yaml,line=1,title=${rule} failed::`)
    expect(seen.said).not.toContain('plumbline-example-full')
    expect(seen).toMatchObject({ status: 1, output: 'exit-code=1\n' })
    expect(seen.summary).toContain(`**\`${rule}\`** — failed`)
  })

  test('runs no input as a script', () => {
    const evil = 'a"; touch pwned; echo "$(touch pwned)`touch pwned`'
    const inputs = {
      target: evil,
      only: evil,
      profile: evil,
      format: evil,
      report: evil,
      wait: evil,
      budget: evil,
      seed: evil,
    }
    expect(runStep(1, inputs).status).toBe(2)
    expect(existsSync(join(cwd, 'pwned'))).toBe(false)
  })
})

test('the example of GitLab judges the target', () => {
  const { conformance } = parse(exampleAfter('## GitLab CI', 'yaml'))
  expect(bash(conformance.script.join('\n'), { API_KEY: 'plumbline-example-full' })).toMatchObject({ status: 0 })
  expect(existsSync(join(cwd, conformance.artifacts.reports.junit))).toBe(true)
})

test('the example of a shell judges the target', () => {
  const script = exampleAfter('## Any other service', 'bash')
  expect(bash(script, { API_KEY: 'plumbline-example-full' })).toMatchObject({ status: 0 })
})

/** The inputs of the example, all of which the action has. */
function exampleOfGithub(): Record<string, string> {
  const { jobs } = parse(exampleAfter('## GitHub Actions', 'yaml'))
  const inputs = jobs.plumbline.steps[1].with
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(inputs)))
  return inputs
}

/** The first block below a heading, with the port of this test, judging one rule. */
function exampleAfter(heading: string, language: string): string {
  const [, below = ''] = guide.split(`${heading}\n`)
  const [, block = ''] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(below) ?? []
  return block.replaceAll('8080', String(port)).replaceAll(' check --start', ` check --only ${rule} --start`)
}

/** Runs a step of the action as GitHub does: inputs in the variables of the step, and files for what it says. */
function runStep(index: number, inputs: Readonly<Record<string, string>>) {
  const { run = '', env = {} } = steps[index] ?? {}
  const [output, summary] = ['output', 'summary'].map((name) => join(cwd, name)) as [string, string]
  for (const file of [output, summary]) writeFileSync(file, '')
  const given = Object.entries(env).map(([name, value]) => {
    const [, input = ''] = /^\$\{\{ inputs\.(\w+) \}\}$/.exec(value) ?? []
    return [name, inputs[input] ?? action.inputs[input].default]
  })
  const seen = bash(run, {
    ...Object.fromEntries(given),
    API_KEY: 'plumbline-example-full',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION_PATH: join(cwd, 'plumbline'),
    GITHUB_OUTPUT: output,
    GITHUB_STEP_SUMMARY: summary,
  })
  return { ...seen, output: readFileSync(output, 'utf8'), summary: readFileSync(summary, 'utf8') }
}

function bash(script: string, environment: Readonly<Record<string, string>>) {
  const file = join(cwd, 'script.sh')
  writeFileSync(file, script)
  const path = [join(cwd, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter)
  const { status, stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', file], {
    cwd,
    env: { ...process.env, ...environment, PATH: path },
    encoding: 'utf8',
  })
  return { status, said: stdout + stderr }
}

function program(name: string, line: string): void {
  const file = join(cwd, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `#!/bin/sh\n${line}\n`)
  chmodSync(file, 0o755)
}
