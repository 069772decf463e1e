const UNITS: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3600, day: 86400 }

/** "10 seconds" or "1 day" in seconds. Throws on another form. */
export function secondsOf(text: string): number {
  const [, amount, unit] = /^(\d+) (second|minute|hour|day)s?$/.exec(text) ?? []
  const factor = UNITS[unit ?? '']
  if (!amount || !factor)
    throw new Error(`"${text}" is no length of time; write a whole number and seconds, minutes, hours or days.`)
  return Number(amount) * factor
}
