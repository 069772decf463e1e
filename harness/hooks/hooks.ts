import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Hook } from '../../target/types.ts'
import { isSuccess } from '../exchange/exchange.ts'
import { type Transport, TransportFailure } from '../transport/types.ts'
import type { Ended } from './leader.ts'

/** Input of a hook: the run, the id of the pod, and the status that the pod should have. */
export interface HookCall {
  readonly run: string
  readonly pod: string
  readonly status: string
}

/** Runs a hook. Resolves with null if it worked, else with one clause that says why not. */
export type RunHook = (hook: Hook, call: HookCall) => Promise<string | null>

const leaderFile = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './leader.ts' : './leader.js', import.meta.url),
)

/** Bytes of a command's output that are read. */
const keptOutput = 16_384

/** Runs hooks as commands of this machine or as calls of an address, each for at most `limitMs` of real time. */
export function createHooks(transport: Transport, limitMs: number): RunHook {
  return (hook, call) =>
    'url' in hook ? post(transport, hook.url, call, limitMs) : execute(hook.command, call, limitMs)
}

async function post(transport: Transport, url: string, call: HookCall, answerMs: number): Promise<string | null> {
  const request = {
    method: 'POST',
    url,
    headers: [
      ['Content-Type', 'application/json'],
      ['User-Agent', `plumbline (run ${call.run}; hook)`],
    ] as const,
    body: new TextEncoder().encode(JSON.stringify(call)),
  }
  try {
    const { status } = await transport(request, { answerMs })
    return isSuccess(status) ? null : `POST ${url} answered ${status}`
  } catch (error) {
    if (error instanceof TransportFailure) return error.message
    throw error
  }
}

/** The command has its own process group, whose leader ends the group once this process is gone. */
function execute(command: readonly string[], call: HookCall, limitMs: number): Promise<string | null> {
  const [program = ''] = command
  const limit = AbortSignal.timeout(limitMs)
  const leader = spawn(process.execPath, ['--no-warnings', leaderFile, ...command], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, PLUMBLINE_RUN: call.run, PLUMBLINE_POD: call.pod, PLUMBLINE_STATUS: call.status },
  })
  let said = ''
  let ended: Ended | null = null
  leader.stderr?.on('data', (chunk: Buffer) => {
    if (said.length < keptOutput) said += chunk.toString('utf8')
  })
  leader.on('message', (message) => {
    ended = message as Ended
  })
  return new Promise((resolve) => {
    const end = (failure: string | null) => {
      limit.removeEventListener('abort', late)
      leader.stderr?.destroy()
      resolve(failure)
    }
    /** A command that has ended may have left a process behind that keeps its output open. */
    function late(): void {
      endGroup(leader)
      end(ended === null ? `${program} did not end within ${limitMs} ms` : failureOf(program, ended, said))
    }
    limit.addEventListener('abort', late)
    leader.on('error', (error: NodeJS.ErrnoException) => end(failureOf(program, { fault: error.code ?? '' }, said)))
    leader.on('close', (code, signal) => end(failureOf(program, ended ?? { code, signal }, said)))
  })
}

function failureOf(program: string, ended: Ended, said: string): string | null {
  if ('fault' in ended) return `${program} could not be started (${ended.fault})`
  const { code, signal } = ended
  if (code === 0) return null
  const how = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`
  const line = said.split('\n').find((one) => one.trim() !== '')
  return `${program} ${how}${line === undefined ? '' : `: ${line.trim()}`}`
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}
