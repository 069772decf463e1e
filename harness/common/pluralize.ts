/** A count with its noun: `1 rule`, `2 rules`, `1,200 requests`; `plural` for a noun that takes more than an s. */
export function pluralize(many: number, noun: string, plural = `${noun}s`): string {
  return `${many.toLocaleString('en')} ${many === 1 ? noun : plural}`
}
