// Judges the same rules over real HTTP. Each verdict must be the one in process, with either worker, and a replay of
// each record must give the same bytes.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServing } from './serving.mjs'

const bin = join(import.meta.dirname, '..', 'bin', 'plumbline.js')
const dir = mkdtempSync(join(tmpdir(), 'plumbline-http-'))
const at = (name) => join(dir, name)
const workerFolder = join(import.meta.dirname, '..', 'suites', 'worker')
const isPythonThere = spawnSync('python3', ['--version']).status === 0
/** The default profiles of the embedded reference. */
const profiles = ['--profile', 'core,long']

function plumbline(expected, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { cwd: dir, encoding: 'utf8' })
  if (status === expected) return
  throw new Error(`plumbline ${args.join(' ')} exited ${status} instead of ${expected}\n${stdout}${stderr}`)
}

async function serving(name, flags, work) {
  const target = at(`${name}.yaml`)
  const { end } = await startServing(['--clock', 'control', '--print-target', target, ...flags], () => {})
  try {
    await work(target)
  } finally {
    await end()
  }
}

const verdicts = (name) =>
  JSON.parse(readFileSync(join(at(name), 'results.json'), 'utf8')).rules.map(({ id, verdict }) => `${id} ${verdict}`)

const idOf = (line) => line.split(' ')[0]

function same(what, a, b) {
  const differing = a.filter((line, place) => line !== b[place])
  if (a.length !== b.length || differing.length > 0)
    throw new Error(`${what}: ${differing.join(', ') || 'other rules'}`)
}

function replayed(name, expected) {
  plumbline(expected, 'replay', at(name), '--out', at(`${name}-again`))
  const [first, second] = [name, `${name}-again`].map((folder) => readFileSync(join(at(folder), 'results.json')))
  if (!first.equals(second)) throw new Error(`a replay of ${name} gives another results.json`)
}

/** Runs `check` with these words; its results go into the folder of that name. */
const check = (expected, name, ...words) =>
  plumbline(expected, 'check', '--quiet', ...profiles, ...words, '--out', at(name))

try {
  check(0, 'in-process', '--reference', '--strict', '--seed', '7')
  replayed('in-process', 0)
  await serving('reference', [], (target) => check(0, 'over-http', '--strict', '--seed', '8', '--target', target))
  replayed('over-http', 0)
  same('over HTTP another verdict than in process', verdicts('over-http'), verdicts('in-process'))
  if (isPythonThere) {
    // Only rules that run jobs: nothing else differs with another worker.
    const jobs = ['--only', 'queue', '--only', 'webhook']
    await serving('worker', ['--worker', `python3 '${workerFolder}'`], (target) =>
      check(0, 'worker', '--strict', ...jobs, '--target', target),
    )
    const judged = new Set(verdicts('worker').map(idOf))
    const inProcess = verdicts('in-process').filter((line) => judged.has(idOf(line)))
    same('worker processes give another verdict than the worker in process', verdicts('worker'), inProcess)
  }
  await serving('defective', ['--defect', 'exited-stop-accepted'], (target) =>
    check(1, 'defective', '--target', target),
  )
  replayed('defective', 1)
  const failed = verdicts('defective').filter((line) => line.endsWith(' failed'))
  same('a served defect fails other rules', failed.sort(), ['pods.action.exited.stop failed'])
  const workers = isPythonThere ? ', and with worker processes' : '; worker processes not tried, there is no python3'
  process.stdout.write(
    `${verdicts('over-http').length} rules: the same verdicts in process, over HTTP and by replay${workers}\n`,
  )
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
} finally {
  rmSync(dir, { recursive: true, force: true })
}
