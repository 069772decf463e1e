// Judges the same rules in process and over real HTTP, with another seed, jobs executed by worker processes, and one
// defect. Each verdict and reading must be the same but for the rule of the defect, and a replay of what was recorded over
// HTTP must give the same bytes.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { python } from '../harness/testing/python.ts'
import { startServing } from './serving.mjs'

const bin = join(import.meta.dirname, '..', 'bin', 'plumbline.js')
const dir = mkdtempSync(join(tmpdir(), 'plumbline-http-'))
const at = (name) => join(dir, name)
/** No other rule builds on the one that it breaks. */
const defect = { id: 'exited-stop-accepted', rule: 'pods.action.exited.stop' }
const workerFolder = join(import.meta.dirname, '..', 'suites', 'worker')
const worker = python === null ? [] : ['--worker', `'${python}' '${workerFolder}'`]

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

/** Judges the rules of the embedded reference's default profiles into the folder `name`. */
function check(expected, name, ...more) {
  return plumbline(expected, 'check', '--strict', '--quiet', '--profile', 'core,long', '--out', at(name), ...more)
}

async function checkOverHttp(name, ...flags) {
  const target = at(`${name}.yaml`)
  const { end } = await startServing(['--clock', 'control', '--print-target', target, ...flags], () => {})
  try {
    await check(1, name, '--target', target, '--seed', '8')
  } finally {
    await end()
  }
  await plumbline(1, 'replay', at(name), '--out', at(`${name}-again`))
}

const results = (name) => readFileSync(join(at(name), 'results.json'))

/** The verdict and readings of each rule, as text by id. */
function judgements(name) {
  const { rules } = JSON.parse(results(name))
  return new Map(rules.map(({ id, verdict, readings }) => [id, `${verdict} ${JSON.stringify(readings)}`]))
}

function compare(inProcess, overHttp) {
  if (!overHttp.get(defect.rule)?.startsWith('failed')) throw new Error(`${defect.id} is served and not found`)
  const ids = new Set([...inProcess.keys(), ...overHttp.keys()])
  const differing = [...ids].filter((id) => id !== defect.rule && inProcess.get(id) !== overHttp.get(id))
  const lines = differing.map((id) => `${id}: ${overHttp.get(id)} instead of ${inProcess.get(id)}`)
  if (lines.length > 0) throw new Error(`over HTTP other verdicts than in process:\n${lines.join('\n')}`)
}

try {
  const ends = await Promise.allSettled([
    check(0, 'in-process', '--reference', '--seed', '7'),
    checkOverHttp('over-http', ...worker, '--defect', defect.id),
  ])
  const wrong = ends.find(({ status }) => status === 'rejected')
  if (wrong !== undefined) throw wrong.reason
  compare(judgements('in-process'), judgements('over-http'))
  if (!results('over-http').equals(results('over-http-again'))) throw new Error('the replay gives another results.json')
  const workers = python === null ? 'without worker processes, since there is no python3' : 'with worker processes'
  process.stdout.write(
    `${judgements('over-http').size} rules: the same verdicts and readings in process, over HTTP ${workers}, and by replay; a served defect is found\n`,
  )
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
} finally {
  rmSync(dir, { recursive: true, force: true })
}
