// Judges the same rules twice: in process, and over HTTP with another seed, worker processes (if Python is installed) and one
// defect. Only the verdict of the defect's rule may differ, and a replay of the record over HTTP must give the same bytes.
// `prove --served` judges latitudes over HTTP, with the worker of the reference.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noPython, python, pythonWorker } from '../harness/testing/workers.ts'
import { startServing } from './serving.mjs'

const bin = join(import.meta.dirname, '..', 'bin', 'plumbline.js')
const dir = mkdtempSync(join(tmpdir(), 'plumbline-http-'))
const at = (name) => join(dir, name)
/** Changes one verdict only: no other rule builds on this one. */
const defect = { id: 'exited-restart-accepted', rule: 'pods.action.exited.restart' }
const workers = python === null ? `without worker processes, since ${noPython}` : 'with worker processes'

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

/** Runs `check` with the default profiles of the embedded reference; its results go to the folder `name`. */
function check(expected, name, ...more) {
  return plumbline(expected, 'check', '--quiet', '--profile', 'core,long', '--out', at(name), ...more)
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

/** The judgement of each rule in the order of the ledger, with the parts of it that were not judged. */
function judgements(name) {
  const { rules } = JSON.parse(results(name))
  return rules.map(({ id, verdict, readings, unjudged }) => ({
    id,
    verdict,
    text: `${id}: ${verdict} ${JSON.stringify({ readings, unjudged })}`,
  }))
}

/** Throws unless the rules are the same, and have the same judgements but for the rule of the defect. */
function compare(inProcess, overHttp) {
  const found = overHttp.find(({ id }) => id === defect.rule)
  if (found?.verdict !== 'failed') throw new Error(`rule ${defect.rule} did not fail on defect ${defect.id}`)
  const differing = overHttp.filter(({ id, text }, at) => id !== defect.rule && text !== inProcess[at]?.text)
  if (inProcess.length === overHttp.length && differing.length === 0) return
  const lines = differing.map(({ text }) => text).join('\n')
  throw new Error(`over HTTP (seed 8, ${workers}, ${defect.id}) the judgements are not those in process:\n${lines}`)
}

try {
  const ends = await Promise.allSettled([
    check(0, 'in-process', '--reference', '--strict', '--seed', '7'),
    checkOverHttp('over-http', ...pythonWorker, '--defect', defect.id),
  ])
  const wrong = ends.find(({ status }) => status === 'rejected')
  if (wrong !== undefined) throw wrong.reason
  compare(judgements('in-process'), judgements('over-http'))
  if (!results('over-http').equals(results('over-http-again'))) {
    throw new Error('a replay does not reproduce results.json of the run over HTTP')
  }
  const same = judgements('over-http').length - 1
  process.stdout.write(
    `${same} rules are judged the same in process, over HTTP ${workers}, and by replay; 1 fails on the served defect\n`,
  )
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
} finally {
  rmSync(dir, { recursive: true, force: true })
}
