import type { Range } from './decode.ts'

/** A secret to search for. */
export interface Needle {
  readonly mark: string
  /** The secret as it is. */
  readonly exact: string
  /** The secret, folded. */
  readonly folded: string
  /** Its first characters that are enough, at least 2, the last of them neither a quotation mark nor a backslash. */
  readonly least: number
}

export interface Found {
  readonly mark: string
  readonly range: Range
  /** True if the text has the secret as it is. */
  readonly isExact: boolean
}

/** One form for letters of both cases, and for a blank and the `+` that forms write for it. */
export function fold(text: string): string {
  return text.replace(/[A-Z+]/g, foldOne)
}

function foldOne(sign = ''): string {
  return sign === '+' ? ' ' : sign >= 'A' && sign <= 'Z' ? sign.toLowerCase() : sign
}

/** Finds secrets in a text as they are, forwards and backwards. */
export function createSearch(needles: readonly Needle[]): (text: string) => Found[] {
  const places = createPlaces(needles)
  return (text) => {
    const found: Found[] = []
    for (const from of places(text)) {
      for (const { mark, exact, least, folded } of needles) {
        const last = from + least
        const forwards = matching(text, from, 1, folded, least)
        const backwards = matching(text, last - 1, -1, folded, least)
        const isExact = forwards > 0 && text.startsWith(exact, from)
        if (forwards > 0) found.push({ mark, isExact, range: [from, from + forwards] })
        if (backwards > 0) found.push({ mark, isExact, range: [last - backwards, last] })
      }
    }
    return found
  }
}

/** How many characters of a secret a text has from a place on, forwards (1) or backwards (-1); 0 if they are not enough. */
function matching(text: string, from: number, step: 1 | -1, folded: string, least: number): number {
  let count = 0
  while (count < folded.length && foldOne(text[from + count * step]) === folded[count]) count++
  // After a part of a secret these belong to the JSON around it, which has to stay JSON.
  if (count < folded.length) while (count > least && /["\\]/.test(folded[count - 1] ?? '')) count--
  return count < least ? 0 : count
}

const blocks = 4096

/**
 * Finds the places of a text where one of the secrets may begin or, backwards, end. Looks at two characters at a time and
 * skips as many as they rule out, so that a text that has none costs little (the algorithm of Wu and Manber).
 */
function createPlaces(needles: readonly Needle[]): (text: string) => number[] {
  const length = Math.min(...needles.map(({ least }) => least))
  const skips = new Uint16Array(blocks).fill(length - 1)
  for (const { folded, least } of needles) {
    const head = folded.slice(0, least)
    for (const text of [head, head.split('').reverse().join('')]) {
      for (let at = 1; at < length; at++) {
        const block = blockAt(text, at)
        skips[block] = Math.min(skips[block] ?? 0, length - 1 - at)
      }
    }
  }
  return (text) => {
    const found: number[] = []
    for (let at = length - 1; at < text.length; ) {
      const skip = skips[blockAt(text, at)] ?? 0
      if (skip === 0) found.push(at + 1 - length)
      at += skip === 0 ? 1 : skip
    }
    return found
  }
}

/** A number for a character and the one before it. */
function blockAt(text: string, at: number): number {
  return ((foldedCode(text.charCodeAt(at - 1)) << 5) ^ foldedCode(text.charCodeAt(at))) & (blocks - 1)
}

function foldedCode(code: number): number {
  if (code === 0x2b) return 0x20
  return code >= 0x41 && code <= 0x5a ? code + 0x20 : code
}
