/** A text of at most `max` UTF-16 units: the beginning of a longer one with `…`, never with half of a surrogate pair. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const begin = text.slice(0, max - 1)
  return `${/[\uD800-\uDBFF]$/.test(begin) ? begin.slice(0, -1) : begin}…`
}
