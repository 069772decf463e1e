// Judges the same rules over real HTTP with another seed. Each verdict and reading must be the one in process, with either
// worker, and a replay of what was recorded over HTTP must give the same bytes.
import { execFile, spawnSync } from 'node:child_process'
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

/** Runs a command; throws unless it exits with the expected status. */
function plumbline(expected, ...args) {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [bin, ...args], { cwd: dir, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const status = error === null ? 0 : error.code
      if (status === expected) resolve()
      else reject(new Error(`plumbline ${args.join(' ')} exited ${status} instead of ${expected}\n${stdout}${stderr}`))
    })
  })
}

/** Judges rules into the folder `name`; against `plumbline serve` with flags, or the embedded reference if there are none. */
async function judge(expected, name, flags, ...more) {
  const options = ['--quiet', ...profiles, '--out', at(name), ...more]
  if (flags === null) return plumbline(expected, 'check', '--reference', ...options)
  const target = at(`${name}.yaml`)
  const { end } = await startServing(['--clock', 'control', '--print-target', target, ...flags], () => {})
  try {
    await plumbline(expected, 'check', '--target', target, ...options)
  } finally {
    await end()
  }
}

/** The same, and a replay of the record gives the same bytes. */
async function judgeAndReplay(expected, name, flags, ...more) {
  await judge(expected, name, flags, ...more)
  await plumbline(expected, 'replay', at(name), '--out', at(`${name}-again`))
  const [first, second] = [name, `${name}-again`].map((folder) => readFileSync(join(at(folder), 'results.json')))
  if (!first.equals(second)) throw new Error(`a replay of ${name} gives another results.json`)
}

const verdicts = (name) =>
  JSON.parse(readFileSync(join(at(name), 'results.json'), 'utf8')).rules.map(
    ({ id, verdict, readings }) => `${id} ${verdict} ${JSON.stringify(readings)}`,
  )

const idOf = (line) => line.split(' ')[0]

function same(what, a, b) {
  const differing = a.filter((line, place) => line !== b[place])
  if (a.length !== b.length || differing.length > 0)
    throw new Error(`${what}: ${differing.join(', ') || 'other rules'}`)
}

try {
  // Only rules that run jobs: nothing else differs with another worker.
  const jobs = ['--strict', '--only', 'queue', '--only', 'webhook']
  const ends = await Promise.allSettled([
    judge(0, 'in-process', null, '--strict', '--seed', '7'),
    judgeAndReplay(0, 'over-http', [], '--strict', '--seed', '8'),
    isPythonThere ? judge(0, 'worker', ['--worker', `python3 '${workerFolder}'`], ...jobs) : null,
    judgeAndReplay(
      1,
      'defective',
      ['--defect', 'exited-stop-accepted'],
      '--only',
      'pods.action.*',
      '--only',
      'queue.status.*',
    ),
  ])
  const wrong = ends.find(({ status }) => status === 'rejected')
  if (wrong !== undefined) throw wrong.reason
  same('over HTTP another verdict than in process', verdicts('over-http'), verdicts('in-process'))
  if (isPythonThere) {
    const judged = new Set(verdicts('worker').map(idOf))
    const inProcess = verdicts('in-process').filter((line) => judged.has(idOf(line)))
    same('worker processes give another verdict than the worker in process', verdicts('worker'), inProcess)
  }
  const failed = verdicts('defective').filter((line) => line.split(' ')[1] === 'failed')
  same('a served defect fails other rules', failed.map(idOf).sort(), ['pods.action.exited.stop'])
  const workers = isPythonThere ? ', and with worker processes' : '; worker processes not tried, there is no python3'
  process.stdout.write(
    `${verdicts('over-http').length} rules: the same verdicts and readings in process, over HTTP and by replay${workers}\n`,
  )
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
} finally {
  rmSync(dir, { recursive: true, force: true })
}
