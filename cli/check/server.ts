import { setTimeout as pause } from 'node:timers/promises'
import { quote } from 'shell-quote'
import { evenPauses, pollOn } from '../../harness/clock/poll.ts'
import { lengthOf } from '../../harness/common/length.ts'
import { type StartedCommand, startCommand } from '../../harness/hooks/command.ts'
import type { Ended } from '../../harness/hooks/leader.ts'
import { urlsOf } from '../../harness/planes/index.ts'
import { redactorOf } from '../../harness/record/describe.ts'
import { outageStatuses } from '../../harness/rule/check.ts'
import { overHttp } from '../../harness/transport/http.ts'
import { TransportFailure } from '../../harness/transport/types.ts'
import type { Network, Target } from '../../target/types.ts'
import { UnreachableError, UsageError } from '../shared/errors.ts'
import type { RunServer } from '../shared/run/run-check.ts'
import type { Terminal } from '../shared/terminal.ts'

interface ServerOptions {
  /** The shell command that serves the target. */
  readonly start: string | undefined
  /** Real ms to wait for the target. */
  readonly wait: number | undefined
  readonly quiet: boolean
}

const defaultWaitMs = 60_000
/** Bounds of one request while the target is waited for, real ms. */
const patience = { connectMs: 2_000, answerMs: 5_000 }
/** The same for the last request, however little time is left. */
const minAnswerMs = 500
/** Between two requests, real ms. */
const pauseMs = 250
/** From SIGTERM to SIGKILL, real ms. */
const graceMs = 10_000
const keptOutput = 16_384
const shownLines = 20

/**
 * Starts the server, waits until the target answers, does `work`, and ends the server whatever happens. Returns the exit code
 * of the work, which gets the server unless its command has ended already.
 * @throws UnreachableError if the target does not answer in time, or its command fails before
 */
export async function withServer(
  target: Target,
  { start, wait, quiet }: ServerOptions,
  terminal: Terminal,
  work: (server?: RunServer) => Promise<number>,
): Promise<number> {
  if (start === undefined && wait === undefined) return work()
  if (start !== undefined) refuseUnfit(start, target)
  const { network } = target
  const addresses = urlsOf(target).filter((url) => /^https?:/.test(url))
  if (addresses.length === 0) throw new UsageError('--start and --wait are for a target with an address over HTTP')
  if (start !== undefined) await refuseRunning(addresses, network)
  const { environment } = terminal
  const server = start === undefined ? null : startCommand(['sh', '-c', start], { environment, keptOutput })
  let ended: Ended | null = null
  server?.ended.then((how) => {
    ended = how
  })
  try {
    const waitMs = wait ?? defaultWaitMs
    if (!quiet) terminal.err(`waiting for ${addresses.join(', ')}, at most ${lengthOf(waitMs)}`)
    const waitedMs = await waitForAll(addresses, { network, waitMs, server }, () => failureOf(server, ended))
    if (!quiet) terminal.err(`the target answered after ${lengthOf(waitedMs)}`)
    return server === null || ended !== null
      ? await work()
      : await work(runServer(server, flagsOf({ start, wait }), terminal))
  } finally {
    await server?.end(graceMs)
  }
}

/** A server as a run needs it. */
function runServer(server: StartedCommand, flags: string, { err }: Terminal): RunServer {
  return {
    flags,
    failed: new Promise((resolve) => {
      server.ended.then((how) => isSuccess(how) || resolve(`the server ${howOf(how)} during the run`))
    }),
    printFailure: (how) => err(`plumbline: ${how}, so its results are not reliable${lastOutput(server)}`),
  }
}

/** Throws UsageError for a command that is empty or holds a secret: it is recorded, and repeated in lines for a shell. */
function refuseUnfit(start: string, target: Target): void {
  if (start.trim() === '') throw new UsageError('--start is empty; give the command that serves the target')
  if (redactorOf(target).text(start) !== start) {
    throw new UsageError(
      '--start contains a secret of the target file, and the command is recorded; use an environment variable in it, such as "$API_KEY" in single quotes',
    )
  }
}

/** The flags of a server, quoted. */
function flagsOf({ start = '', wait }: Partial<ServerOptions>): string {
  const more = wait === undefined ? [] : ['--wait', `${Math.ceil(wait / 1_000)}s`]
  return quote(['--start', start, ...more])
}

/** A command that succeeds may have left a server behind. */
function isSuccess(ended: Ended): boolean {
  return 'code' in ended && ended.code === 0
}

/** A server of an earlier run would be judged in place of the one that is started. */
async function refuseRunning(addresses: readonly string[], network: Network): Promise<void> {
  for (const url of addresses) {
    const failure = await failureAt(url, network)
    if (failure === null) {
      throw new UsageError(`--start: ${url} answers already; end what serves it, or leave out --start`)
    }
  }
}

/** Resolves with the real ms until every address has answered. `failure` ends the waiting. */
async function waitForAll(
  addresses: readonly string[],
  { network, waitMs, server }: { network: Network; waitMs: number; server: StartedCommand | null },
  failure: () => string | null,
): Promise<number> {
  const startMs = performance.now()
  const clock = { now: () => performance.now() - startMs, sleep: pause }
  for (const url of addresses) {
    const look = async () => {
      const last = await failureAt(url, network, Math.max(minAnswerMs, waitMs - clock.now()))
      const fault = failure()
      if (fault !== null) throw new UnreachableError(fault)
      return last
    }
    const last = await pollOn(clock, evenPauses(clock, pauseMs, waitMs), look, (seen) => seen === null)
    if (last === null) continue
    const output = server === null ? '' : lastOutput(server)
    const advice = `check that the server starts and listens there, or raise --wait${output}`
    throw new UnreachableError(`${url} did not answer within ${lengthOf(waitMs)}; last failure: ${last}; ${advice}`)
  }
  return clock.now()
}

/** Why an address does not answer; null if it does, with whatever status. A gateway's error is not an answer. */
async function failureAt(url: string, network: Network, leftMs = patience.answerMs): Promise<string | null> {
  const http = overHttp({ ...patience, network, answerMs: Math.round(Math.min(patience.answerMs, leftMs)) })
  try {
    const { status } = await http.send({ method: 'GET', url, headers: [], body: null })
    return outageStatuses.has(status) ? `GET ${url} was answered ${status} by a gateway` : null
  } catch (error) {
    if (error instanceof TransportFailure) return error.message
    throw error
  } finally {
    await http.close()
  }
}

/** Why a server will not answer; null while it may. */
function failureOf(server: StartedCommand | null, ended: Ended | null): string | null {
  if (server === null || ended === null || isSuccess(ended)) return null
  return `the server ${howOf(ended)} before the target answered${lastOutput(server)}`
}

function howOf(ended: Ended): string {
  if ('fault' in ended) return `could not be started (${ended.fault})`
  return ended.code === null ? `was ended by ${ended.signal}` : `ended with exit code ${ended.code}`
}

function lastOutput(server: StartedCommand): string {
  const said = server.said()
  // The first line may be cut, and a secret in it would not be recognised.
  const whole = said.length < keptOutput ? said : said.slice(said.indexOf('\n') + 1)
  const lines = whole.split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0) return '; it printed nothing'
  return [`; its last output:`, ...lines.slice(-shownLines).map((line) => `  ${line}`)].join('\n')
}
