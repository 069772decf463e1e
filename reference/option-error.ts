/** An option that createReference does not take: what was expected, and what was given. */
export class OptionError extends TypeError {
  override readonly name = 'OptionError'

  constructor(option: string, expected: string, given: unknown) {
    super(`Option ${option}: expected ${expected}, got ${say(given)} (${typeOf(given)})`)
  }
}

function say(value: unknown): string {
  if (typeof value === 'function') return value.name === '' ? 'a function' : value.name
  return JSON.stringify(value) ?? String(value)
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
