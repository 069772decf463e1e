import { spawn } from 'node:child_process'
import { isSuccess } from '../exchange.ts'
import type { Hook } from '../target/types.ts'
import { type Transport, TransportFailure } from '../transport/types.ts'

/** What a hook is told: the run, the id of the pod, and the status that the pod is to have. */
export interface HookCall {
  readonly run: string
  readonly pod: string
  readonly status: string
}

/** Runs a hook; resolves with null where it did its work, else with one clause that says why not. */
export type RunHook = (hook: Hook, call: HookCall) => Promise<string | null>

/** So much of what a command says is read, in bytes. */
const keptOutput = 16_384

/** Runs hooks as commands of this machine or as calls of an address, each at most `limitMs` of real time. */
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

/** The command stays in the process group of the run, so that it ends with it. */
function execute(command: readonly string[], call: HookCall, limitMs: number): Promise<string | null> {
  const [program = '', ...words] = command
  const limit = AbortSignal.timeout(limitMs)
  const child = spawn(program, words, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PLUMBLINE_RUN: call.run, PLUMBLINE_POD: call.pod, PLUMBLINE_STATUS: call.status },
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    if (said.length < keptOutput) said += chunk.toString('utf8')
  })
  return new Promise((resolve) => {
    const end = (failure: string | null) => {
      limit.removeEventListener('abort', late)
      child.stderr.destroy()
      resolve(failure)
    }
    /** A command that has ended may have left something behind that keeps its output open. */
    function late(): void {
      const code = child.exitCode
      child.kill('SIGKILL')
      end(code === null ? `${program} did not end within ${limitMs} ms` : exitOf(code, null, said))
    }
    limit.addEventListener('abort', late)
    child.on('error', (error) => end(`${program} could not be started (${(error as NodeJS.ErrnoException).code})`))
    child.on('close', (code, signal) => end(exitOf(code, signal, said)))
  })

  function exitOf(code: number | null, signal: string | null, text: string): string | null {
    if (code === 0) return null
    const ended = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`
    const line = text.split('\n').find((one) => one.trim() !== '')
    return `${program} ${ended}${line === undefined ? '' : `: ${line.trim()}`}`
  }
}
