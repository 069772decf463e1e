import { spawn } from 'node:child_process'
import { jsonIn } from '../../../harness/exchange/exchange.ts'
import { signalGroup } from '../../../harness/hooks/command.ts'
import type { Outcome, WorkerJob, WorkerTools } from '../../../reference/index.ts'
import { eachLine } from '../../../worker/lines.ts'
import type { Told } from '../../../worker/messages.ts'
import type { Words } from './command.ts'

export interface WorkerProcessOptions {
  readonly words: Words
  readonly cwd: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Receives its protocol errors. */
  readonly complain: (message: string) => void
}

/** The execution under way. */
interface Current {
  readonly job: WorkerJob
  readonly tools: WorkerTools
  readonly end: (outcome: Outcome) => void
}

/** Messages from a worker process. */
type Said =
  | { readonly type: 'ready'; readonly v: 1; readonly port?: number }
  | { readonly type: 'partial'; readonly execution: string; readonly partial: unknown }
  | { readonly type: 'completed'; readonly execution: string; readonly output?: unknown }
  | { readonly type: 'failed'; readonly execution: string; readonly message: string }
  | { readonly type: 'stopped'; readonly execution: string }

export type WorkerProcess = ReturnType<typeof startWorkerProcess>

/**
 * Starts a process that executes one job at a time, in its own process group. Its standard error is shown unchanged.
 */
export function startWorkerProcess({ words, cwd, environment, complain }: WorkerProcessOptions) {
  const [command, ...args] = words
  const child = spawn(command, args, {
    cwd,
    env: environment as NodeJS.ProcessEnv,
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ready = Promise.withResolvers<string | null>()
  const ended = Promise.withResolvers<void>()
  let alive = true
  let port: number | null = null
  let current: Current | null = null

  const finish = (outcome: Outcome) => {
    const { end } = current ?? {}
    current = null
    end?.(outcome)
  }
  const leave = (reason: string) => {
    alive = false
    ready.resolve(reason)
    finish({ kind: 'died' })
  }
  const hear = (said: Said) => {
    if (said.type === 'ready') {
      port = said.port ?? null
      ready.resolve(null)
    } else if (said.execution !== current?.job.execution) complain(`reported ${said.execution}, which is not active`)
    else if (said.type === 'partial') current.tools.emit(said.partial)
    else finish(outcomeOf(said))
  }

  child.on('error', (error: NodeJS.ErrnoException) => {
    if (child.pid !== undefined) return
    leave(`it cannot be started (${error.code})`)
    ended.resolve()
  })
  // Its child processes end with it and close their pipes.
  child.on('exit', () => signalGroup(child.pid, 'SIGKILL'))
  child.on('close', (code, signal) => {
    leave(`it ended with ${signal ?? `exit code ${code}`}`)
    ended.resolve()
  })
  child.stdin.on('error', () => {})
  eachLine(child.stdout, (line) => {
    const said = readSaid(line)
    if (said !== null) return hear(said)
    complain(`wrote a line that is not a message, and is ended: ${line.slice(0, 100)}`)
    signalGroup(child.pid, 'SIGKILL')
  })

  const tell = (told: Told) => void child.stdin.write(`${JSON.stringify(told)}\n`)

  return {
    /** Why it never became ready; null once it is. */
    ready: ready.promise,
    /** The port on which it serves HTTP; null if it does not, or is not ready. */
    port: () => port,
    /** Settles when it and all processes that it started are gone. */
    ended: ended.promise,
    isAlive: () => alive,
    /** Never rejects: a process that ends meanwhile has died. */
    async execute(job: WorkerJob, tools: WorkerTools): Promise<Outcome> {
      const { env, gpu, signal } = tools
      await ready.promise
      if (signal.aborted) return { kind: 'stopped' }
      if (!alive) return { kind: 'died' }
      const { promise, resolve } = Promise.withResolvers<Outcome>()
      current = { job, tools, end: resolve }
      const stop = () => tell({ type: 'stop', execution: job.execution })
      signal.addEventListener('abort', stop, { once: true })
      tell({ type: 'execute', job, env, gpu })
      const outcome = await promise
      signal.removeEventListener('abort', stop)
      return outcome
    },
    /** Signals it and all processes that it started. */
    kill: (signal: NodeJS.Signals) => signalGroup(child.pid, signal),
    /** Closes its standard input: no more messages come. */
    dismiss: () => void child.stdin.end(),
  }
}

function outcomeOf(said: Exclude<Said, { readonly type: 'ready' | 'partial' }>): Outcome {
  if (said.type === 'completed') return { kind: 'completed', output: said.output }
  return said.type === 'failed' ? { kind: 'failed', message: said.message } : { kind: 'stopped' }
}

/** Reads a line of a worker process; null if it is not a known message. */
function readSaid(line: string): Said | null {
  const value = jsonIn(line)
  if (typeof value !== 'object' || value === null) return null
  const { type, v, execution, message } = value as Record<string, unknown>
  if (type === 'ready') return v === 1 ? (value as Said) : null
  if (typeof execution !== 'string') return null
  if (type === 'partial') return 'partial' in value ? (value as Said) : null
  if (type === 'failed') return typeof message === 'string' ? (value as Said) : null
  return type === 'completed' || type === 'stopped' ? (value as Said) : null
}
