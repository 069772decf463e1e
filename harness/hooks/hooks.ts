import type { Hook } from '../../target/types.ts'
import { isSuccess } from '../exchange/exchange.ts'
import { type Transport, TransportFailure } from '../transport/types.ts'
import { runCommand } from './command.ts'
import type { Ended } from './leader.ts'

/** Input of a hook: the run, the id of the pod, and the status that the pod should have. */
export interface HookCall {
  readonly runId: string
  readonly pod: string
  readonly status: string
}

/** Runs a hook. Resolves with null if it worked, else with one clause that says why not. */
type RunHook = (hook: Hook, call: HookCall) => Promise<string | null>

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
      ['User-Agent', `plumbline (run ${call.runId}; hook)`],
    ] as const,
    body: new TextEncoder().encode(JSON.stringify({ run: call.runId, pod: call.pod, status: call.status })),
  }
  try {
    const { status } = await transport(request, { answerMs })
    return isSuccess(status) ? null : `POST ${url} answered ${status}`
  } catch (error) {
    if (error instanceof TransportFailure) return error.message
    throw error
  }
}

async function execute(command: readonly string[], call: HookCall, limitMs: number): Promise<string | null> {
  const [program = ''] = command
  const variables = { PLUMBLINE_RUN: call.runId, PLUMBLINE_POD: call.pod, PLUMBLINE_STATUS: call.status }
  const environment = { ...process.env, ...variables }
  const { ended, stderr } = await runCommand(command, { environment, limitMs, keptOutput })
  return ended === null ? `${program} did not end within ${limitMs} ms` : failureOf(program, ended, stderr)
}

function failureOf(program: string, ended: Ended, said: string): string | null {
  if ('fault' in ended) return `${program} could not be started (${ended.fault})`
  const { code, signal } = ended
  if (code === 0) return null
  const how = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`
  const line = said.split('\n').find((one) => one.trim() !== '')
  return `${program} ${how}${line === undefined ? '' : `: ${line.trim()}`}`
}
