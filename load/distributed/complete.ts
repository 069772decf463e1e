import { appendFileSync, createReadStream, mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, gzipSync } from 'node:zlib'
import { jsonIn } from '../../harness/exchange/exchange.ts'
import type { Health, RunEvent } from '../../harness/record/events.ts'
import { toTarget } from '../../harness/record/read.ts'
import { createFileRecorder } from '../../harness/record/recorder.ts'
import { createRedactor } from '../../harness/record/redact.ts'
import { recordJudgement } from '../../harness/run/judge.ts'
import { conductLoad, oneByOne, type Perform } from '../conduct.ts'
import { judgementsOf } from '../judgements.ts'
import { eachLine, headOf, REQUEST_HEAD } from '../k6/lines.ts'
import { IncompletePoints, LoadError } from '../load-error.ts'
import { createClockBounds } from '../machines.ts'
import { refuseSilence } from '../queue/perform.ts'
import type { Step } from '../queue/steps.ts'
import { actionOf, type Driving, loadOf, planEventOf, planFolder, plansFolder, readPlan } from '../record.ts'

/** Characters of a file that are compressed at once. */
const PART_CHARACTERS = 2 ** 20
const HEALTH = headOf('plumbline_answer')
/** The step of a line, and its part of it: the number of a stretch, or the request of /health before or after it. */
const SCENARIO = /"scenario":"([\w-]+)_(\d+|before|after)"/

/**
 * Completes the record of a load that was emitted: divides the files of its machines among its plans, and adds the plans, the
 * verdicts and the end.
 * @throws IncompletePoints if a file cannot be read to its end, or no file has a request of a plan. The record is unchanged then.
 */
export async function completeLoad(dir: string, emitted: RunEvent, files: readonly string[]): Promise<void> {
  const load = loadOf(emitted)
  const driven: Driving[] = []
  const divided = join(dir, 'divided')
  const clear = () => {
    for (const folder of [divided, join(dir, plansFolder)]) rmSync(folder, { recursive: true, force: true })
  }
  let dividing: Promise<HealthOfSteps> | null = null
  const planned = (steps: readonly Step[]) => {
    dividing ??= divide(divided, files, steps)
  }
  let count = 0
  const take = async ({ name, plan: planOfStep }: Step) => {
    const plan = planFolder(++count, name)
    const health = (await dividing)?.[name] ?? []
    mkdirSync(join(dir, plansFolder), { recursive: true })
    renameSync(join(divided, name), join(dir, plansFolder, plan))
    const { points, clockErrorMs, notes } = await readPlan(dir, plan).catch(incomplete)
    if (points.length === 0) {
      throw new IncompletePoints(`no file has a request of the plan ${name}; copy each whole, or run the load again`)
    }
    try {
      refuseSilence(points)
    } catch (error) {
      if (error instanceof LoadError) driven.push({ type: 'broken-off', plan, reason: error.message })
      throw error
    }
    const read = { points, clockErrorMs, health, notes }
    driven.push(planEventOf(dir, plan, planOfStep, read))
    return read
  }
  const perform: Perform = (batch, done) => oneByOne(batch, async (step) => done(step, await take(step)))
  // An earlier replay may have been killed.
  clear()
  const options = { target: toTarget(emitted), load, action: actionOf(emitted), perform, planned }
  const conducted = await conductLoad(options).catch((error) => {
    clear()
    throw error
  })
  rmSync(divided, { recursive: true, force: true })
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

function incomplete(error: unknown): never {
  throw error instanceof LoadError ? new IncompletePoints(error.message) : error
}

/** /health before and after each step; empty if one is missing. */
type HealthOfSteps = Readonly<Record<string, readonly Health[]>>

/**
 * Writes the lines of each step into a folder of its name, one file per machine, and of the whole time those that bound its
 * clock: a step may have too few responses for that.
 */
async function divide(folder: string, files: readonly string[], steps: readonly Step[]): Promise<HealthOfSteps> {
  const health = new Map<string, Health>()
  for (const [n, file] of files.entries()) {
    const parts = new Map(steps.map(({ name }) => [name, createPart(join(folder, name), n + 1)]))
    const take = (line: string) => {
      const [, name = '', part = ''] = SCENARIO.exec(line) ?? []
      if (/\d/.test(part) && line.startsWith(REQUEST_HEAD)) parts.get(name)?.add(line)
      else if (line.startsWith(HEALTH)) health.set(`${name} ${part}`, healthIn(line))
    }
    const clock = createClockBounds()
    const read = (text: AsyncIterable<Buffer>) =>
      eachLine(text, (bytes, start, end) => {
        const line = bytes.toString('utf8', start, end)
        if (clock.narrow(line)) for (const part of parts.values()) part.add(line)
        else take(line)
      })
    try {
      await pipeline(createReadStream(file), createGunzip(), read)
    } catch (error) {
      throw new IncompletePoints(
        `${basename(file)} cannot be read to its end (${String(error)}); copy it whole, or run the load again`,
      )
    }
    for (const part of parts.values()) part.done()
  }
  const both = (step: string) => ['before', 'after'].flatMap((part) => health.get(`${step} ${part}`) ?? [])
  return Object.fromEntries(steps.map(({ name }) => [name, both(name).length === 2 ? both(name) : []]))
}

/** The points of a step on one machine; lines are compressed in parts, one after the other. */
function createPart(folder: string, machine: number) {
  const file = join(folder, `raw-${String(machine).padStart(2, '0')}.json.gz`)
  mkdirSync(folder, { recursive: true })
  let text = ''
  const done = () => {
    appendFileSync(file, gzipSync(text))
    text = ''
  }
  return {
    done,
    add(line: string): void {
      text += `${line}\n`
      if (text.length > PART_CHARACTERS) done()
    },
  }
}

function healthIn(line: string): Health {
  const { tags } = JSON.parse(line).data as { readonly tags: Readonly<Record<string, string>> }
  return { status: Number(tags.status), body: jsonIn(tags.body ?? '') ?? null }
}
