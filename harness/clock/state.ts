import { isDeepStrictEqual } from 'node:util'
import { cut } from '../common/cut.ts'
import { Inconclusive } from '../rule/outcome.ts'
import type { ClockState } from './types.ts'

/** The two calls to the clock of a target. */
export type ClockCall = 'GET' | 'POST'

/**
 * The clock does not behave as `docs/clock.md` describes, or does not answer. No later wait of the run can be kept.
 */
export class ClockFault extends Inconclusive {
  /** It gave no response at all. */
  readonly isSilent: boolean

  readonly #fault: string

  constructor(fault: string, isSilent = false, address = '') {
    super(`clock.url ${address}${fault} (docs/clock.md)`)
    this.isSilent = isSilent
    this.#fault = fault
  }

  /** The same with the address of the clock. */
  at(url: string): ClockFault {
    return new ClockFault(this.#fault, this.isSilent, `(${url}) `)
  }
}

/** The last moment of the year 9999; a later one is not a date. */
const latestMs = Date.UTC(10_000, 0, 1) - 1

/** How far a clock may move by itself, ms: some add the real time of their own work. */
const driftMs = 1_000

/** Consecutive moves that may fall short, because an event that is added between GET and POST is due earlier. */
const missesAllowed = 100

const members: Readonly<Record<keyof ClockState, readonly [isRight: (value: unknown) => boolean, form: string]>> = {
  nowMs: [isMoment, 'an integer, in milliseconds of the Unix epoch'],
  nextMs: [(value) => value === null || isMoment(value), 'an integer or null'],
  busy: [(value) => Array.isArray(value) && value.every(isId), 'a list of ids'],
  open: [(value) => Number.isSafeInteger(value) && Number(value) >= 0, 'an integer of at least 0'],
}

/** The body of a clock's response. Throws ClockFault if it is not a state. */
export function readClockState(value: unknown, call: ClockCall): ClockState {
  if (typeof value !== 'object' || value === null) {
    throw new ClockFault(`answered ${call} with ${shown(value)}; it must be {nowMs, nextMs, busy, open}`)
  }
  const given = value as Record<keyof ClockState, unknown>
  for (const [name, [isRight, form]] of Object.entries(members) as [keyof ClockState, (typeof members)['open']][]) {
    if (isRight(given[name])) continue
    throw new ClockFault(
      name in given
        ? `answered ${call} with ${name} ${shown(given[name])}; it must be ${form}`
        : `answered ${call} without ${name}; it must be ${form}`,
    )
  }
  const { nowMs, nextMs, busy, open } = given as { -readonly [Name in keyof ClockState]: ClockState[Name] }
  return { nowMs, nextMs, busy: busy.map(String), open }
}

/** Part of the reason if time moved although the run did not move it. */
export const movedByOthers = 'time must stand still until POST moves it, and one run alone may do so'

/** Compares each response of the clock of a run, from its beginning, with the one before it. */
export function watchClock(startMs: number) {
  let last: ClockState = { nowMs: startMs, nextMs: null, busy: [], open: 0 }
  let misses = 0

  function take(state: ClockState, call: ClockCall, maxMs: number): ClockState {
    const passedMs = state.nowMs - last.nowMs
    if (passedMs < 0) {
      throw new ClockFault(
        `went back from ${last.nowMs} to ${state.nowMs} in its response to ${call}; time must not go back`,
      )
    }
    if (passedMs > maxMs + driftMs) {
      throw new ClockFault(
        call === 'GET'
          ? `moved by ${passedMs} ms between two calls; ${movedByOthers}`
          : `moved by ${passedMs} ms where POST asked for ${maxMs} at most; it must stop at what is asked for`,
      )
    }
    last = state
    return state
  }

  return {
    /** Takes the response to GET. Throws ClockFault if time has moved by itself. */
    seen: (state: ClockState) => take(readClockState(state, 'GET'), 'GET', 0),
    /** Takes the response to POST of so many ms. Throws ClockFault if time moved back, too far, or not at all. */
    moved(askedMs: number, given: ClockState): ClockState {
      const before = last
      const state = take(readClockState(given, 'POST'), 'POST', askedMs)
      misses = isMissed(before, askedMs, state) ? misses + 1 : 0
      if (misses >= missesAllowed) {
        throw new ClockFault(
          `answered POST ${misses} times without doing what it asks: nowMs is ${state.nowMs} and nextMs ${state.nextMs} after advanceMs ${askedMs}; time must come to the next due moment, and run what is due there`,
        )
      }
      return state
    },
  }
}

/** True if time fell short of its goal, or what is due was not run. */
function isMissed(before: ClockState, askedMs: number, after: ClockState): boolean {
  const goal = Math.min(before.nextMs ?? Number.POSITIVE_INFINITY, before.nowMs + askedMs)
  if (after.nowMs < goal) return true
  const isDue = after.nextMs !== null && after.nextMs <= after.nowMs
  return (
    isDue &&
    after.nowMs === before.nowMs &&
    after.nextMs === before.nextMs &&
    isDeepStrictEqual(before.busy, after.busy)
  )
}

function isMoment(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= latestMs
}

function isId(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number'
}

function shown(value: unknown): string {
  return cut(JSON.stringify(value) ?? String(value), 80)
}
