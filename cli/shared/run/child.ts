import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { jsonIn } from '../../../harness/exchange/exchange.ts'
import { signalGroup } from '../../../harness/hooks/command.ts'
import type { Progress, RunOptions } from '../../../harness/run/options.ts'
import { eachLine } from '../../../worker/lines.ts'
import { moduleFile } from '../package-paths.ts'

export interface ChildEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** True if it reported that it ended in order. */
  readonly inOrder: boolean
  /** The last lines of its standard output and error, for messages about its faults. */
  readonly said: string
}

interface ChildOptions {
  readonly options: RunOptions
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly onProgress: (progress: Progress) => void
  /** Another module to run, for tests; default: the one that runs the rules. */
  readonly module?: string
  /** Real ms without progress after which the process is killed. A running process reports twice a second. */
  readonly silentMs?: number
}

const keptOutput = 16_384

/** How long the process may linger once it reported its end, and its output once it has ended, real ms. */
const lingeringMs = 10_000

/** Most objects of a run are soon garbage: with Node's default of 16 MB, many are moved before they are. */
const youngMemory = '--max-semi-space-size=64'

/** Checks within the time of silence: a machine that slept counts one check for it. */
const looks = 60

export type ChildRun = ReturnType<typeof startChild>

/**
 * Starts the process that runs the rules, in a process group of its own. The options go over the channel between the
 * two, since they hold keys, and the child ends when that is closed; progress comes back as NDJSON on descriptor 3.
 */
export function startChild(given: ChildOptions) {
  const { options, environment, onProgress, module, silentMs = 300_000 } = given
  const child = spawn(process.execPath, [youngMemory, module ?? moduleFile('harness/run/child')], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'ipc'],
    env: environment as NodeJS.ProcessEnv,
  })
  const failed = new Promise<never>((_, reject) => child.on('error', reject))
  // Without a free file it has no streams either.
  if (child.stdio === undefined)
    return { pid: process.pid, ended: failed, reportServerEnd() {}, stop: async () => {}, kill() {} }
  let said = ''
  let inOrder = false
  let silent = 0
  let lingering: NodeJS.Timeout | undefined
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(-keptOutput)
    })
  }
  eachLine(child.stdio[3] as Readable, (line) => {
    const progress = jsonIn(line) as Progress | undefined
    silent = 0
    if (progress === undefined) return
    if (progress.type === 'ended' || progress.type === 'stopped') inOrder = true
    if (progress.type === 'ended') lingering = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), lingeringMs)
    onProgress(progress)
  })
  const looking = setInterval(() => {
    if (++silent !== looks) return
    said += `\nnothing for ${silentMs / 1000} s, so it was killed`
    signalGroup(child.pid, 'SIGKILL')
  }, silentMs / looks)
  // The death of a child before it has read its options is reported by its end, not by the broken channel.
  child.send(options, () => {})
  const ended = new Promise<ChildEnd>((resolve, reject) => {
    const end = (code: number | null, signal: NodeJS.Signals | null) => {
      clearInterval(looking)
      clearTimeout(lingering)
      // A k6 that it has started ends with it.
      signalGroup(child.pid, 'SIGKILL')
      resolve({ code, signal, inOrder, said: said.trim() })
    }
    failed.catch(reject)
    child.on('close', end)
    // A process that it started may keep its output open.
    child.on('exit', (...how) => {
      clearTimeout(lingering)
      lingering = setTimeout(() => end(...how), lingeringMs)
    })
  })
  return {
    /** Of this process if there is none. */
    pid: child.pid ?? process.pid,
    /** Ends with the process, whatever the reason. */
    ended,
    /** Reports to the run how the server of its target has failed, for its record. A run that has ended needs no report. */
    reportServerEnd: (how: string) => void child.send(how, () => {}),
    /** Ends the whole process group: SIGTERM first, SIGKILL `graceMs` later. */
    async stop(graceMs: number): Promise<void> {
      signalGroup(child.pid, 'SIGTERM')
      const insist = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), graceMs)
      await ended.catch(() => {})
      clearTimeout(insist)
    },
    /** Ends it at once, without waiting for it. */
    kill: () => signalGroup(child.pid, 'SIGKILL'),
  }
}
