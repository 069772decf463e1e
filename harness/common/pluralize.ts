/** A count with its noun: `1 rule`, `2 rules`, `1,200 requests`. */
export function pluralize(many: number, noun: string): string {
  return `${many.toLocaleString('en')} ${noun}${many === 1 ? '' : 's'}`
}
