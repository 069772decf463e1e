import type * as typed from '@commander-js/extra-typings'
import * as commander from 'commander'
import { parseDuration } from '../../target/duration.ts'
import { suggestion } from '../../target-file/nearest.ts'
import { UsageError } from './errors.ts'

/** The parts of commander, with options that are typed by their flags. */
export const { Argument, Command, Option } = commander as unknown as typeof typed

// Readers of option values. Each throws InvalidArgumentError, which says what was expected; commander says what was given.

export function gather(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value]
}

/** Refuses a flag with one value that is given again: commander would take the last value. */
export function refuseRepeats(
  command: Pick<commander.Command, 'options' | 'error'> & { on(event: string, listener: () => void): unknown },
): void {
  for (const option of command.options) {
    if (option.isBoolean() || option.negate || option.parseArg === gather) continue
    let times = 0
    command.on(`option:${option.name()}`, () => {
      if (++times > 1) command.error(`error: option '${option.flags}' is given more than once; give it once`)
    })
  }
}

export function integer(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const isBounded = most < Number.MAX_SAFE_INTEGER
  const what = `an integer ${isBounded ? `from ${least} to ${most}` : `of at least ${least}`}`
  const read = number(what, /^\d+$/, (value) => value >= least && value <= most)
  return (text) => {
    // The bound of all integers is of interest only to whoever exceeds it.
    if (!isBounded && Number(text) > most) throw expected(`${what}, at most ${most}`)
    return read(text)
  }
}

export const factor = number('a number above 0, such as 0.1', /^\d*\.?\d+$/, (value) => value > 0)
export const share = number('a share from 0 to 1, such as 0.1', /^\d*\.?\d+$/, (value) => value <= 1)
export const price = number('an amount of USD, such as 2 or 0.50', /^\d+(\.\d+)?$/)

export function percentage(text: string): number {
  const value = Number(/^(\d*\.?\d+)\s?%?$/.exec(text)?.[1])
  if (value > 0 && value <= 100) return value / 100
  throw expected('a percentage above 0, such as 5%')
}

function number(what: string, form: RegExp, isIn: (value: number) => boolean = () => true): (text: string) => number {
  return (text) => {
    if (form.test(text) && isIn(Number(text))) return Number(text)
    throw expected(what)
  }
}

export function lengthOfTime(text: string): number {
  const ms = parseDuration(text)
  if (ms !== null && ms > 0) return ms
  throw expected('a length of time above 0 with its unit, such as 20s, 5m or 1h')
}

export function day(text: string): string {
  const date = new Date(`${text}T00:00:00Z`)
  // The calendar corrects 30 February.
  if (!Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text) return text
  throw expected('a day as YYYY-MM-DD, such as 2027-01-31')
}

/** Reads one of a few words, such as the kind of a load. Throws UsageError for another. */
export function oneOf<Word extends string>(what: string, known: readonly Word[]): (text: string) => Word {
  return (text) => {
    const word = known.find((each) => each === text)
    if (word !== undefined) return word
    throw new UsageError(`unknown ${what} "${text}"${suggestion(text, known)}`)
  }
}

export function quotaList(text: string): Record<string, number> {
  const entries = text.split(',').map((entry) => /^(minute|hour|day)=([1-9]\d*)$/.exec(entry.trim()))
  const windows = new Set(entries.map((entry) => entry?.[1]))
  if (entries.every((entry) => entry !== null) && windows.size === entries.length) {
    return Object.fromEntries(entries.map((entry) => [entry[1] ?? '', Number(entry[2])]))
  }
  throw expected('minute=60,hour=3000,day=50000 or a part of it, each once and at least 1')
}

function expected(what: string): commander.InvalidArgumentError {
  return new commander.InvalidArgumentError(`Expected ${what}.`)
}
