import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { jsonIn } from '../../harness/exchange/exchange.ts'
import type { Health, RunEvent } from '../../harness/record/events.ts'
import { toTarget } from '../../harness/record/read.ts'
import { createFileRecorder } from '../../harness/record/recorder.ts'
import { createRedactor } from '../../harness/record/redact.ts'
import { recordJudgement } from '../../harness/run/judge.ts'
import { conductLoad, type Perform } from '../conduct.ts'
import { judgementsOf } from '../judgements.ts'
import { headOf, textLines } from '../k6/lines.ts'
import { LoadError } from '../load-error.ts'
import { createClockBounds } from '../machines.ts'
import { refuseSilence } from '../queue/perform.ts'
import { actionOf, type Driving, loadOf, planFolder, plansFolder, pointsOf, readPlan } from '../record.ts'

const REQUEST = headOf('http_req_duration')
const HEALTH = headOf('plumbline_answer')
/** The step of a line, and its part of it: the number of a stretch, or the request of /health before or after it. */
const SCENARIO = /"scenario":"([\w-]+)_(\d+|before|after)"/

/**
 * Completes the record of a load that was emitted: divides the files of its machines among its plans, and adds the plans, the
 * verdicts and the end.
 */
export async function completeLoad(dir: string, emitted: RunEvent, files: readonly string[]): Promise<void> {
  const load = loadOf(emitted)
  const driven: Driving[] = []
  let count = 0
  const perform: Perform = async (step) => {
    const plan = planFolder(++count, step.name)
    try {
      const health = await divide(join(dir, plansFolder, plan), files, step.name)
      const { points, clockErrorMs, notes } = await readPlan(dir, plan)
      if (points.length === 0) throw new LoadError(`No machine recorded a request of ${step.name}; run the load again.`)
      refuseSilence(points)
      driven.push({ type: 'plan', plan, points: pointsOf(dir, plan), requests: points.length, health, notes })
      return { points, clockErrorMs, health, notes }
    } catch (error) {
      if (error instanceof LoadError) driven.push({ type: 'broken-off', plan, reason: error.message })
      throw error
    }
  }
  const conducted = await conductLoad({ target: toTarget(emitted), load, action: actionOf(emitted), perform })
  const judgements = judgementsOf(load, conducted)
  const judged = judgements.filter((one) => one.startedMs !== null)
  const startedMs = judged.length === 0 ? emitted.startedMs : Math.min(...judged.map((one) => one.startedMs ?? 0))
  const endedMs = Math.max(startedMs, ...judged.map((one) => one.endedMs ?? 0))
  const recorder = createFileRecorder(dir, createRedactor({}))
  for (const event of [{ ...emitted, startedMs }, ...driven]) recorder.event(event)
  for (const judgement of judgements) recordJudgement(recorder, judgement)
  recorder.event({ type: 'end', endedMs, passedMs: endedMs - startedMs, exchanges: 0, stopped: null })
  recorder.flush()
}

/**
 * Writes the lines of a step into one file per machine, and of its whole time those that bound its clock: a step may have too few
 * responses for that. Resolves with /health before and after it; empty if one is missing.
 */
async function divide(folder: string, files: readonly string[], step: string): Promise<Health[]> {
  await mkdir(folder, { recursive: true })
  const health = new Map<string, Health>()
  const isOwn = (line: string): boolean => {
    const [, name, part = ''] = SCENARIO.exec(line) ?? []
    if (name !== step) return false
    if (/\d/.test(part)) return line.startsWith(REQUEST)
    if (line.startsWith(HEALTH)) health.set(part, healthIn(line))
    return false
  }
  async function* own(text: AsyncIterable<Buffer>): AsyncGenerator<string> {
    const clock = createClockBounds()
    for await (const line of textLines(text)) if (clock.narrow(line) || isOwn(line)) yield `${line}\n`
  }
  for (const [n, file] of files.entries()) {
    const to = createWriteStream(join(folder, `raw-${String(n + 1).padStart(2, '0')}.json.gz`))
    try {
      await pipeline(createReadStream(file), createGunzip(), own, createGzip(), to)
    } catch (error) {
      throw new LoadError(`${file} cannot be read to its end (${String(error)}); copy it whole, or run the load again.`)
    }
  }
  const both = [health.get('before'), health.get('after')]
  return both.includes(undefined) ? [] : both.filter((one) => one !== undefined)
}

function healthIn(line: string): Health {
  const { tags } = JSON.parse(line).data as { readonly tags: Readonly<Record<string, string>> }
  return { status: Number(tags.status), body: jsonIn(tags.body ?? '') ?? null }
}
