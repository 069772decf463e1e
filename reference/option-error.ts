/** A fault of an option, for the message. */
export type OptionFault = readonly [option: string, expected: string, given: unknown]

/** Options that createReference does not take, a line for each: what was expected, and what was given. */
export class OptionError extends TypeError {
  override readonly name = 'OptionError'

  constructor(option: string, expected: string, given: unknown, others: readonly OptionFault[] = []) {
    super([[option, expected, given] as const, ...others].map(lineOf).join('\n'))
  }
}

function lineOf([option, expected, given]: OptionFault): string {
  return `Option ${option}: expected ${expected}, got ${say(given)} (${typeOf(given)})`
}

function say(value: unknown): string {
  if (typeof value === 'function') return value.name === '' ? 'a function' : value.name
  return JSON.stringify(value) ?? String(value)
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
