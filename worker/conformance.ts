import { setTimeout as sleep } from 'node:timers/promises'
import { type Beacon, createBeacon, Stopped, unlessAborted } from './beacon.ts'
import { PlanError, readPlan, type Step } from './plan.ts'
import type { Outcome, WorkerJob, WorkerProgram, WorkerTools } from './program.ts'

interface ConformanceWorkerOptions {
  /** Waits for real time: the step sleepMs, and the pause between two questions for a held key. */
  readonly pause?: (ms: number) => Promise<void>
}

/** The death of a worker, as the step exit asks for it. */
class Exit extends Error {
  override readonly name = 'Exit'
  readonly code: number
  constructor(code: number) {
    super(`exit ${code}`)
    this.code = code
  }
}

/** The failure of the handler that the step `fail` requests. */
class HandlerError extends Error {
  override readonly name = 'HandlerError'
}

/** One execution while its steps are followed. */
interface Course {
  readonly job: WorkerJob
  readonly tools: WorkerTools
  readonly beacon: Beacon | null
  readonly pause: (ms: number, signal: AbortSignal | null) => Promise<void>
  /** Which execution of its job this is, from 1. */
  n: number
  isDeaf: boolean
  isOutputSet: boolean
  output: unknown
  readonly partials: unknown[]
}

/** The worker that rules are judged by: it follows the steps in `input.plumbline`, and echoes any other input. */
export function createConformanceWorker({ pause = realPause }: ConformanceWorkerOptions = {}): WorkerProgram {
  return { execute: (job, tools) => execute(job, tools, pause) }
}

async function execute(job: WorkerJob, tools: WorkerTools, pause: (ms: number) => Promise<void>): Promise<Outcome> {
  let course: Course
  try {
    const plan = readPlan(job.input)
    if (plan === null) return { kind: 'completed', output: job.input }
    course = createCourse(job, tools, plan.beacon, pause)
    return await follow(course, plan.steps)
  } catch (error) {
    if (error instanceof PlanError) return { kind: 'failed', message: error.message }
    throw error
  }
}

async function follow(course: Course, steps: readonly Step[]): Promise<Outcome> {
  const { beacon } = course
  try {
    if (beacon !== null) course.n = await beacon.start()
    let message: string | null = null
    try {
      await runAll(steps, course)
    } catch (error) {
      if (!(error instanceof HandlerError)) throw error
      message = error.message
    }
    heed(course)
    if (message !== null) {
      await beacon?.end('failed', message)
      return { kind: 'failed', message }
    }
    await beacon?.end('completed')
    return { kind: 'completed', output: outputOf(course) }
  } catch (error) {
    if (error instanceof Exit) return { kind: 'died', code: error.code }
    if (error instanceof Stopped) return { kind: 'stopped' }
    return { kind: 'failed', message: `the beacon cannot be reached: ${reasonOf(error)}` }
  }
}

async function runAll(steps: readonly Step[], course: Course): Promise<void> {
  for (const step of steps) {
    heed(course)
    await run(step, course)
  }
}

async function run(step: Step, course: Course): Promise<void> {
  if ('output' in step) setOutput(step.output, course)
  else if ('bytes' in step) setOutput('x'.repeat(step.bytes), course)
  else if ('report' in step) setOutput(reportOf(step.report, course), course)
  else if ('emit' in step) {
    course.partials.push(step.emit)
    course.tools.emit(step.emit)
  } else if ('hold' in step) {
    if (course.beacon === null) throw new HandlerError('hold needs a beacon')
    await course.beacon.hold(step.hold)
  } else if ('sleepMs' in step) await course.pause(step.sleepMs, heeded(course))
  else if ('fail' in step) throw new HandlerError(step.fail)
  else if ('exit' in step) throw new Exit(step.exit & 255)
  else if ('first' in step) {
    if (course.n === 1) await runAll(step.first, course)
  } else course.isDeaf = true
}

function createCourse(
  job: WorkerJob,
  tools: WorkerTools,
  address: string | null,
  pause: (ms: number) => Promise<void>,
): Course {
  const signal = () => heeded(course)
  const abortablePause = (ms: number, stop: AbortSignal | null) => unlessAborted(pause(ms), stop)
  const course: Course = {
    job,
    tools,
    beacon: address === null ? null : createBeacon({ address, job, call: tools.call, pause: abortablePause, signal }),
    pause: abortablePause,
    n: 1,
    isDeaf: false,
    isOutputSet: false,
    output: undefined,
    partials: [],
  }
  return course
}

function setOutput(output: unknown, course: Course): void {
  course.output = output
  course.isOutputSet = true
}

function outputOf({ isOutputSet, output, partials }: Course): unknown {
  if (isOutputSet) return output
  return partials.length > 0 ? partials : undefined
}

function reportOf(names: readonly string[], { job, tools }: Course): Record<string, unknown> {
  const known: Record<string, unknown> = {
    input: job.input,
    env: tools.env,
    gpu: tools.gpu,
    s3Config: job.s3Config,
  }
  return Object.fromEntries(names.map((name) => [name, known[name]]))
}

function heeded({ isDeaf, tools }: Course): AbortSignal | null {
  return isDeaf ? null : tools.signal
}

function heed(course: Course): void {
  if (heeded(course)?.aborted === true) throw new Stopped('stopped')
}

function realPause(ms: number): Promise<void> {
  return sleep(ms, undefined, { ref: false })
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
