import { exitCodes } from '../../verdicts/exit-codes.ts'

/** A signal asks a run to end. */
export interface Interruption {
  /** Aborts at the first SIGINT, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal
  /** How much of so many real ms after the first signal is left; all of it before. */
  leftMs(ms: number): number
  /** Hands the signals back. */
  end(): void
}

/** Number of watchers for signals. */
let watchers = 0

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Signals within this time of the first are the same one, sent to this process and to its parent. */
const echoMs = 1_000

function unheard(): void {
  if (watchers > 0) return
  process.stderr.write('plumbline: interrupted; nothing was created\n')
  process.exit(exitCodes.interrupted)
}

/**
 * From here on, a signal without a watcher ends the process at once as interrupted: nothing has been created yet.
 * Takes over from `bin/plumbline.js`.
 */
export function endOnSignals(): void {
  for (const name of signals) {
    const before = process.listeners(name)
    // Without any listener a signal that has come already would be lost.
    process.on(name, unheard)
    for (const listener of before) process.removeListener(name, listener)
  }
}

/** Resolves once a signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    signal.addEventListener('abort', () => done(), { once: true })
    if (signal.aborted) done()
  })
}

/** An interruption by the caller of the library. Its process goes on, so a second one has no effect. */
export function interruptedBy(signal: AbortSignal): Interruption {
  let atMs = Number.POSITIVE_INFINITY
  const note = () => {
    atMs = Date.now()
  }
  if (signal.aborted) note()
  signal.addEventListener('abort', note, { once: true })
  return { signal, leftMs: leftOf(signal, () => atMs), end: () => signal.removeEventListener('abort', note) }
}

function leftOf(signal: AbortSignal, atMs: () => number): Interruption['leftMs'] {
  return (ms) => (signal.aborted ? Math.max(0, atMs() + ms - Date.now()) : ms)
}

/** Takes the signals that end a run. A second one, a second later, ends the process at once as interrupted. */
export function watchInterruption(onSecond: () => void): Interruption {
  const controller = new AbortController()
  let firstAt = 0
  const heard = () => {
    if (!controller.signal.aborted) {
      firstAt = Date.now()
      controller.abort()
    } else if (Date.now() - firstAt > echoMs) {
      onSecond()
      process.exit(exitCodes.interrupted)
    }
  }
  watchers++
  for (const name of signals) process.on(name, heard)
  return {
    signal: controller.signal,
    leftMs: leftOf(controller.signal, () => firstAt),
    end() {
      watchers--
      for (const name of signals) process.removeListener(name, heard)
    },
  }
}
