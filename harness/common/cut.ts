/** The beginning of a long text, at most this many UTF-16 units with its `…`; half of a surrogate pair is left out. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const begin = text.slice(0, most - 1)
  return `${/[\uD800-\uDBFF]$/.test(begin) ? begin.slice(0, -1) : begin}…`
}
