import { memoize, memoizeTexts } from '../common/memoize.ts'
import { jsonIn, textOf } from '../exchange/exchange.ts'
import { createDigitDecoder, undoEscapes, type View } from './decode.ts'
import { createSearch, type Found, fold, type Needle } from './search.ts'

/** Removes secrets from everything that is written; each becomes the stable mark `«key.NAME»`. */
export interface Redactor {
  text(value: string): string
  /** The same bytes if they hold no secret. */
  bytes(value: Uint8Array): Uint8Array
}

/** The mark of a key in every file; replay sends the marks instead of the keys. */
export function markOf(name: string): string {
  return `«${name}»`
}

/** The beginning of a secret is masked too, if it has so many characters and this share of the secret. */
const least = { characters: 8, share: 2 / 3 } as const

/** How many encodings, one in another, are undone. */
const maxEncodings = 6
/** Characters that may be decoded: a bound for long texts that are nothing but escapes. */
const maxDecoded = { perCharacter: 256, more: 65_536 } as const

/** Most short texts recur, such as header lines: results are kept for so many, of at most this length. */
const kept = { texts: 20_000, length: 200 } as const

/**
 * Masks whatever decodes to a secret: in upper or lower case, forwards or backwards, and with or without its last characters.
 * `secrets`: name to value, such as `key.full` to the token. A beginning that `isClear`, folded, is not secret.
 */
export function createRedactor(secrets: Readonly<Record<string, string>>, isClear = (_: string) => false): Redactor {
  const needles = needlesOf(secrets, isClear)
  if (needles.length === 0) return { text: (value) => value, bytes: (value) => value }
  const shortest = Math.min(...needles.map((needle) => needle.least))
  const find = createFinder(needles, shortest)
  const mask = (text: string) => masked(text, find(text))
  const maskWhole = (text: string) => likewiseJson(text, mask(text), mask)
  const maskText = memoizeTexts(maskWhole, kept.texts, kept.length)
  return {
    text(value) {
      return value.length < shortest ? value : maskText(value)
    },
    bytes: memoize((value) => {
      const text = textOf(value, 'kept')
      // Bytes that are no UTF-8 are read as one character each, and so is the mark.
      const raw = text ?? Buffer.from(value).toString('latin1')
      const clean = text === null ? masked(raw, find(raw), latin1) : maskWhole(raw)
      return clean === raw ? value : Buffer.from(clean, text === null ? 'latin1' : 'utf8')
    }),
  }
}

/**
 * A masked text that is JSON exactly if the text was: a key of digits may be part of a number, and one with a quotation mark
 * may be what made a text invalid. A replay would judge it otherwise.
 */
function likewiseJson(text: string, clean: string, mask: (text: string) => string): string {
  if (clean === text) return text
  const [was, is] = [text, clean].map((one) => jsonIn(one) !== undefined)
  if (was === is) return clean
  if (!was) return `${clean}«»`
  // Strings, and lists of bytes.
  return text.replace(/"((?:[^"\\]|\\.)*)"|\[\s*\d{1,3}(?:\s*,\s*\d{1,3})+\s*\]/g, (value, inner) => {
    if (inner !== undefined) return `"${mask(inner)}"`
    const list = mask(value).replace(/«[^»]+»/g, '"$&"')
    return jsonIn(list) === undefined ? value : list
  })
}

function needlesOf(secrets: Readonly<Record<string, string>>, isClear: (text: string) => boolean): Needle[] {
  return Object.entries(secrets).flatMap(([name, value]) =>
    [...new Set([value, latin1(value)])].filter(Boolean).map((form) => {
      const folded = fold(form)
      const isTooShort = (text: string) => /["\\]$/.test(text) || isClear(text)
      let enough = Math.min(folded.length, Math.max(least.characters, Math.ceil(folded.length * least.share)))
      while (enough < folded.length && isTooShort(folded.slice(0, enough))) enough++
      return { mark: markOf(name), exact: form, folded, least: enough }
    }),
  )
}

/** Finds the ranges of a text that are secrets, or that decode to one. */
function createFinder(needles: readonly Needle[], shortest: number): (text: string) => Found[] {
  const compare = createSearch(needles)
  const decodeDigits = createDigitDecoder(shortest)
  return (whole) => {
    let left = whole.length * maxDecoded.perCharacter + maxDecoded.more
    /** Findings in short texts decoded from digits, by how many more encodings are undone: many views hold the same text. */
    const digits = Array.from({ length: maxEncodings }, () => new Map<string, readonly Found[]>())

    /** `seen`: the same text with other escapes undone. The order in which they are undone makes no difference. */
    function findIn(text: string, encodings: number, seen: Set<string>): Found[] {
      let plain = compare(text)
      if (encodings === 0) return plain
      const encoded: Found[] = []
      const add = (view: View, all: readonly Found[]) => {
        for (const found of all) encoded.push({ ...found, range: view.outer(found.range) })
      }
      const findBelow = (text: string, seen: Set<string>) => {
        left -= text.length
        return left < 0 ? [] : findIn(text, encodings - 1, seen)
      }
      undoEscapes(text, (view) => {
        plain = plain.map((found) => ({ ...found, range: view.whole(found.range) }))
        if (!seen.has(view.text)) add(view, findBelow(view.text, seen.add(view.text)))
      })
      decodeDigits(text, (view) => {
        const found = digits[encodings - 1]?.get(view.text) ?? findBelow(view.text, new Set())
        if (view.text.length <= kept.length) digits[encodings - 1]?.set(view.text, found)
        add(view, found)
      })
      return [...plain, ...encoded]
    }
    return findIn(whole, maxEncodings, new Set())
  }
}

/**
 * The text with a mark in place of each range; one mark for ranges that overlap. If several forms match the same
 * range, the mark of the exact secret is used.
 */
function masked(text: string, found: readonly Found[], form = (mark: string) => mark): string {
  if (found.length === 0) return text
  const inOrder = found.toSorted(
    (a, b) => a.range[0] - b.range[0] || b.range[1] - a.range[1] || Number(b.isExact) - Number(a.isExact),
  )
  let clean = ''
  let done = 0
  for (const { mark, range } of inOrder) {
    if (range[0] >= done) clean += text.slice(done, range[0]) + form(mark)
    done = Math.max(done, range[1])
  }
  return clean + text.slice(done)
}

/** The bytes of a text as characters. */
function latin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}
