import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { membersOf } from '../../harness/exchange/read.ts'
import { findK6 } from '../../load/k6/find.ts'
import { createCommands } from '../shared/testing/commands.ts'

// A load that is written for the operator of k6: two processes share it as the operator would start them, and replay judges
// their points. Windows are of a second.

const { cwd, start, serve, close } = createCommands('load-emit')
const scale = ['--window-scale', '0.1']
/** A twentieth of a window. */
const MAX_CLOCK_ERROR_MS = 50
const operator = 'github.com/grafana/k6-operator@v0.0.19'
const main = join(import.meta.dirname, '..', 'main.ts')
let k6 = ''

beforeAll(async () => {
  k6 = (await findK6({ env: process.env })).path
}, 700_000)

afterAll(close)

test.concurrent.each<[string, readonly string[], number, string]>([
  ['that keeps its limits passes', [], 0, '1 passed'],
  ['with the defect requests-double fails', ['--defect', 'requests-double'], 1, 'FAILED  limits.queue.requests'],
])(
  'by two processes, of which one has a clock that is 3 s ahead, a reference %s',
  { timeout: 240_000 },
  async (...row) => {
    const [name, flags, exit, verdict] = row
    const { target, child } = await serve([...scale, '--limiter', 'fixed-window', ...flags])
    const folder = await emitted(target, `out-${name.length}`)
    const volume = mkdtempSync(join(tmpdir(), 'plumbline-points-'))
    await Promise.all([drive(folder, volume, '0:1/2', 1), drive(folder, volume, '1/2:1', 2)])
    child.kill('SIGKILL')
    const job = runJob(folder, volume)
    const moved = `${folder}-moved`
    cpSync(join(cwd, folder), join(cwd, moved), { recursive: true })
    moveClock(join(cwd, moved, 'points-2.json.gz'), 3000)
    for (const one of [folder, moved]) {
      const first = await replay(one)
      // On a busy machine the Dates may leave the clocks in doubt.
      const isInDoubt = clocksIn(one).some(({ errorMs }) => errorMs > MAX_CLOCK_ERROR_MS)
      const code = isInDoubt ? 3 : exit
      if (one === folder) expect(job).toBe(code)
      expect(first).toEqual({ code, said: expect.stringContaining(isInDoubt ? 'inconclusive' : verdict) })
      expect(await replay(one)).toMatchObject({ code })
      expect(await replay(one, '--out', one)).toMatchObject({ code })
    }
    const ahead = clocksIn(moved).filter(({ machine }) => machine === '02')
    expect(ahead).not.toEqual([])
    // Both are rounded.
    for (const { offsetMs, errorMs } of ahead) expect(Math.abs(offsetMs - 3000)).toBeLessThanOrEqual(errorMs + 1)
    writeFileSync(join(cwd, moved, 'load', '02-requests-under', 'raw-02.json.gz'), gzipSync(''))
    expect(await replay(moved)).toMatchObject({ code: 4 })
  },
)

test.concurrent('the TestRun is as the operator defines it', { timeout: 240_000 }, async () => {
  const folder = await emitted((await serve(scale)).target, 'valid')
  const module = JSON.parse(execFileSync('go', ['mod', 'download', '-json', operator], { cwd, encoding: 'utf8' }))
  const crd = parse(readFileSync(join(module.Dir, 'config', 'crd', 'bases', 'k6.io_testruns.yaml'), 'utf8'))
  const [version] = crd.spec.versions
  const schema = closed(version.schema.openAPIV3Schema)
  const testRun = parse(readFileSync(join(cwd, folder, 'testrun.yaml'), 'utf8'))
  const ajv = new Ajv({ strict: false, validateFormats: false })
  expect(testRun).toMatchObject({ apiVersion: `${crd.spec.group}/${version.name}`, kind: crd.spec.names.kind })
  expect({ isValid: ajv.validate(schema, testRun), errors: ajv.errors }).toEqual({ isValid: true, errors: null })
  testRun.spec.runner.enviroment = []
  expect(ajv.validate(schema, testRun)).toBe(false)
})

test.concurrent('the operator can archive the script and inspect it', { timeout: 240_000 }, async () => {
  const folder = await emitted((await serve(scale)).target, 'archived')
  const { script, env } = mounted(folder)
  const { spec } = parse(readFileSync(join(cwd, folder, 'testrun.yaml'), 'utf8'))
  const options = { cwd, env: { ...process.env, ...env, K6_OUT: 'json=/nonexistent/points.json.gz' } }
  const archive = `${folder}.tar`
  execFileSync(k6, ['archive', script, '-O', archive, ...spec.arguments.split(' ')], options)
  const inspected = execFileSync(k6, ['inspect', '--execution-requirements', archive], { ...options, encoding: 'utf8' })
  expect(JSON.parse(inspected)).toMatchObject({ maxVUs: expect.any(Number) })
})

async function emitted(target: string, out: string): Promise<string> {
  const args = ['load', 'limits', '--target', target, ...scale, '--only', 'limits.queue.requests']
  const { code, said } = await start([...args, '--emit', 'k8s', '--segments', '2', '--out', out]).ended
  expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('apply configmap.yaml and testrun.yaml') })
  return out
}

/** The ConfigMap as files, and the environment of a runner. */
function mounted(folder: string) {
  const { data } = parse(readFileSync(join(cwd, folder, 'configmap.yaml'), 'utf8'))
  const dir = mkdtempSync(join(tmpdir(), 'plumbline-mounted-'))
  for (const [name, text] of Object.entries<string>(data)) writeFileSync(join(dir, name), text)
  const { runner, script } = parse(readFileSync(join(cwd, folder, 'testrun.yaml'), 'utf8')).spec
  const stated = runner.env.filter(({ value }: { value?: string }) => value !== undefined)
  const env = Object.fromEntries(stated.map(({ name, value }: { name: string; value: string }) => [name, value]))
  const own = { PLUMBLINE_PLAN: join(dir, 'plan.json'), PLUMBLINE_TOKEN: 'plumbline-example-full' }
  return { script: join(dir, script.configMap.file), env: { ...env, ...own } as Record<string, string> }
}

/** Runs a process of k6 as the operator starts it: its points are in the volume, by its name, and in the folder. */
async function drive(folder: string, volume: string, segment: string, n: number): Promise<void> {
  const { script, env } = mounted(folder)
  const segments = [`--execution-segment=${segment}`, '--execution-segment-sequence=0,1/2,1']
  const args = ['run', '--quiet', ...segments, '--include-system-env-vars', script, '--tag', `instance_id=${n}`]
  const { metadata } = parse(readFileSync(join(cwd, folder, 'testrun.yaml'), 'utf8'))
  const K6_OUT = env.K6_OUT?.replace('/points', volume).replace('$(JOB_NAME)', `${metadata.name}-${n}`)
  const child = spawn(k6, args, { cwd, env: { ...process.env, ...env, K6_OUT }, stdio: 'ignore' })
  expect(await once(child, 'close')).toEqual([0, null])
  cpSync(K6_OUT?.replace('json=', '') ?? '', join(cwd, folder, `points-${n}.json.gz`))
}

/** Runs the command of the job that judges, with folders in place of its volumes. Returns the exit code. */
function runJob(folder: string, volume: string): number | null {
  const [container] = parse(readFileSync(join(cwd, folder, 'job.yaml'), 'utf8')).spec.template.spec.containers
  const emittedDir = dirname(mounted(folder).script)
  const bin = mkdtempSync(join(tmpdir(), 'plumbline-bin-'))
  writeFileSync(join(bin, 'plumbline'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, {
    mode: 0o755,
  })
  const [shell, ...words]: string[] = container.command
  const args = words.map((word) => word.replaceAll('/points/', `${volume}/`).replaceAll('/emitted/', `${emittedDir}/`))
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` }
  return spawnSync(shell ?? '', args, { cwd: tmpdir(), env }).status
}

/** The clocks of the machines as the notes of each plan state them. */
function clocksIn(folder: string) {
  const text = readFileSync(join(cwd, folder, 'evidence.ndjson'), 'utf8')
  const note =
    /raw-(\d+)\.json\.gz: its clock was ([\d,]+) ms (ahead of|behind) the target's, give or take ([\d,]+) ms/g
  return [...text.matchAll(note)].map(([, machine, offset = '', where, error = '']) => {
    const [offsetMs, errorMs] = [offset, error].map((ms) => Number(ms.replaceAll(',', ''))) as [number, number]
    return { machine, offsetMs: where === 'behind' ? -offsetMs : offsetMs, errorMs }
  })
}

/** Changes the points of a process as if its clock were so much ahead; the Dates of the target stay. */
function moveClock(file: string, byMs: number): void {
  const lines = gunzipSync(readFileSync(file)).toString().split('\n')
  const moved = lines.map((line) => {
    if (!line.includes('"type":"Point"')) return line
    const { data, metric, type } = JSON.parse(line)
    const time = new Date(Date.parse(data.time) + byMs).toISOString()
    const value = metric === 'plumbline_date' ? data.value + byMs : data.value
    return JSON.stringify({ metric, type, data: { ...data, time, value } })
  })
  writeFileSync(file, gzipSync(moved.join('\n')))
}

/** The schema, which then permits no fields but its own. */
function closed(schema: unknown): object {
  const members = membersOf(schema)
  if (members === null) return Array.isArray(schema) ? schema.map(closed) : (schema as object)
  const inner = Object.fromEntries(Object.entries(members).map(([name, part]) => [name, closed(part)]))
  return 'properties' in members ? { ...inner, additionalProperties: false } : inner
}

function replay(folder: string, ...flags: readonly string[]) {
  return start(['replay', folder, ...flags]).ended
}
