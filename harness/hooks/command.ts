import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Ended } from './leader.ts'

/** The end of a command and its output. */
interface Commanded {
  /** Null if it did not end in time and was killed. */
  readonly ended: Ended | null
  readonly stdout: string
  readonly stderr: string
}

interface CommandOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Real ms. */
  readonly limitMs: number
  /** Bytes of each output that are read. */
  readonly keptOutput: number
}

const leaderFile = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './leader.ts' : './leader.js', import.meta.url),
)

/** Runs a command in a process group whose leader ends the group once this process is gone. */
export function runCommand(command: readonly string[], options: CommandOptions): Promise<Commanded> {
  const { environment, limitMs, keptOutput } = options
  const limit = AbortSignal.timeout(limitMs)
  const leader = startLeader('once', command, environment)
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    leader[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      if (output[name].length < keptOutput) output[name] += chunk
    })
  }
  let ended: Ended | null = null
  leader.on('message', (message) => {
    ended = message as Ended
  })
  return new Promise((resolve) => {
    const end = (how: Ended | null) => {
      limit.removeEventListener('abort', late)
      leader.stdout?.destroy()
      leader.stderr?.destroy()
      resolve({ ended: how, ...output })
    }
    /** A command that has ended may have left a process behind that keeps its output open. */
    function late(): void {
      signalGroup(leader.pid, 'SIGKILL')
      end(ended)
    }
    limit.addEventListener('abort', late)
    leader.on('error', (error: NodeJS.ErrnoException) => end({ fault: error.code ?? '' }))
    leader.on('close', (code, signal) => end(ended ?? { code, signal }))
  })
}

/** A command that goes on until it is ended, such as a server. */
export interface StartedCommand {
  /** The end of the command itself; processes that it has started may go on. */
  readonly ended: Promise<Ended>
  /** Its last output. */
  said(): string
  /** Ends it and all that it has started: SIGTERM first, SIGKILL `graceMs` later. */
  end(graceMs: number): Promise<void>
}

/** Starts a command in a process group that ends at the latest with this process. */
export function startCommand(
  command: readonly string[],
  { environment, keptOutput }: Omit<CommandOptions, 'limitMs'>,
): StartedCommand {
  const leader = startLeader('stay', command, environment)
  let said = ''
  for (const stream of [leader.stdout, leader.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      said = (said + chunk).slice(-keptOutput)
    })
  }
  const closed = Promise.all([leader.stdout, leader.stderr].map((stream) => stream && once(stream, 'close')))
  const ended = new Promise<Ended>((resolve) => {
    leader.on('message', (message) => resolve(message as Ended))
    leader.on('error', (error: NodeJS.ErrnoException) => resolve({ fault: error.code ?? '' }))
    leader.on('exit', (code, signal) => resolve({ code, signal }))
  })
  return {
    ended,
    said: () => said,
    async end(graceMs) {
      const grace = AbortSignal.timeout(graceMs)
      const late = new Promise<void>((over) => grace.addEventListener('abort', () => over()))
      signalGroup(leader.pid, 'SIGTERM')
      await Promise.race([Promise.all([ended, closed]), late])
      signalGroup(leader.pid, 'SIGKILL')
    },
  }
}

function startLeader(
  mode: 'once' | 'stay',
  command: readonly string[],
  environment: CommandOptions['environment'],
): ChildProcess {
  return spawn(process.execPath, ['--no-warnings', leaderFile, mode, ...command], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: environment as NodeJS.ProcessEnv,
  })
}

/** Signals a process group by the id of its leader, if there is one. */
export function signalGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  if (leader === undefined) return
  try {
    process.kill(-leader, signal)
  } catch {
    // It is gone already.
  }
}
