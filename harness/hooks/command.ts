import { type ChildProcess, spawn } from 'node:child_process'
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
  const leader = spawn(process.execPath, ['--no-warnings', leaderFile, ...command], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: environment as NodeJS.ProcessEnv,
  })
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
      endGroup(leader)
      end(ended)
    }
    limit.addEventListener('abort', late)
    leader.on('error', (error: NodeJS.ErrnoException) => end({ fault: error.code ?? '' }))
    leader.on('close', (code, signal) => end(ended ?? { code, signal }))
  })
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}
