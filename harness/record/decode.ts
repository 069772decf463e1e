import { countFirst } from '../common/count-first.ts'
import { memoizeTexts } from '../common/memoize.ts'

/** A range of a text, the end not included. */
export type Range = readonly [start: number, end: number]

/** A text that another one holds in encoded form. */
export interface View {
  readonly text: string
  /** The range of the outer text that encodes a range of this one. */
  outer(range: Range): Range
}

/** A text without its escapes. */
interface Unescaped extends View {
  /** A range of the outer text, extended so that it cuts no escape. */
  whole(range: Range): Range
}

/** An escape: its place in the outer text, and that of its value in the decoded one. */
interface Escape {
  readonly outer: Range
  readonly inner: Range
}

/** Names of the visible ASCII characters that HTML names, each with its character. */
const entities = new Map(
  (
    "amp& apos' ast* bsol\\ colon: comma, commat@ dollar$ equals= excl! grave` gt> hat^ lbrace{ lbrack[ lcub{ lowbar_ " +
    'lpar( lsqb[ lt< midast* num# percnt% period. plus+ quest? quot" rbrace} rbrack] rcub} rpar) rsqb] semi; sol/ ' +
    'verbar| vert|'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, -1), entry.slice(-1)]),
)

/** Letters after a backslash that are not themselves. */
const controls = new Map(Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }))

const escapes = [
  // JSON and scripts.
  escapesOf('\\', /\\(?:u([\da-f]{4})|x([\da-f]{2})|([^ux]))/gi, (_, unit, byte, sign = '') =>
    sign === '' ? charOf(unit ?? byte, 16) : (controls.get(sign) ?? sign),
  ),
  // Addresses and forms.
  escapesOf('%', /%([\da-f]{2})/gi, (_, byte) => charOf(byte, 16)),
  // HTML and XML.
  escapesOf('&', /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));?/gi, (entity, decimal, hex, name) =>
    name === undefined
      ? charOf(decimal ?? hex, decimal === undefined ? 16 : 10)
      : (entities.get(name.toLowerCase()) ?? entity),
  ),
  // Encoded text that is wrapped.
  escapesOf('\n', /(?<=[\w+/=-])\r*\n[ \t]*(?=[\w+/=-])/g, () => ''),
  // The same in a header that was folded: its line breaks became spaces.
  // The space is looked for first, because most characters are none.
  escapesOf(' ', /(?=[ \t])(?<=[\w+/=-]{16})[ \t]+(?=[\w+/=-])/g, () => ''),
]

/** Calls `look` with the text without its escapes of one kind, for each kind that it has. */
export function undoEscapes(text: string, look: (view: Unescaped) => void): void {
  for (const decode of escapes) decode(text, look)
}

/**
 * Makes the same for base64, base32 and hexadecimal digits of at least so many bytes, which may begin anywhere, and for
 * bytes that are listed as numbers.
 */
export function createDigitDecoder(leastBytes: number): (text: string, look: (view: View) => void) => void {
  const base64 = digitsOf('\\w+/-', 6, leastBytes, (run) => Buffer.from(run, 'base64').toString('latin1'))
  const others = [
    digitsOf('\\da-fA-F', 4, leastBytes, (run) => Buffer.from(run, 'hex').toString('latin1')),
    digitsOf('A-Z2-7', 5, leastBytes, ofBase32),
    digitsOf('a-z2-7', 5, leastBytes, ofBase32),
  ]
  const lists = [
    listsOf('a-fA-FxX', /(?:[\da-f]{2}){1,8}/, /0x|[^\da-z]{1,16}(?:0?x)?/, /[\da-f]{2}/gi, 16, leastBytes),
    listsOf('', /\d{2,3}/, /[^\da-z]{1,16}/, /\d+/g, 10, leastBytes),
  ]
  // Most runs recur, such as ids.
  const viewsOf = memoizeTexts(
    (run): readonly View[] => {
      const views: View[] = []
      const add = (view: View) => views.push(view)
      base64.decode(run, 0, add)
      // The other digits are base64 too.
      for (const { find, decode } of others) find(run, (inner, within) => decode(inner, within, add))
      return views
    },
    kept.runs,
    kept.length,
  )
  return (text, look) => {
    base64.find(text, (run, at) => {
      for (const { text, outer } of viewsOf(run))
        look({ text, outer: (range) => outer(range).map((place) => place + at) as unknown as Range })
    })
    for (const decode of lists) decode(text, look)
  }
}

/** The texts are kept that so many runs of digits, of at most this length, decode to. */
const kept = { runs: 5_000, length: 200 } as const

/** Replaces whatever `pattern` matches, which contains `sign`; `valueIn` gets the match and its groups. */
function escapesOf(sign: string, pattern: RegExp, valueIn: (...match: (string | undefined)[]) => string | undefined) {
  return (text: string, look: (view: Unescaped) => void): void => {
    // Most texts have none, and this is much faster.
    if (!text.includes(sign)) return
    const found: Escape[] = []
    let removed = 0
    const decoded = text.replace(pattern, (...match: unknown[]) => {
      const [encoded, from] = [match[0] as string, match.at(-2) as number]
      const value = valueIn(...(match.slice(0, -2) as string[])) ?? encoded
      const at = from - removed
      found.push({ outer: [from, from + encoded.length], inner: [at, at + value.length] })
      removed += encoded.length - value.length
      return value
    })
    if (decoded === text) return
    look({
      text: decoded,
      outer: ([start, end]) => [outerPlace(found, start)[0], outerPlace(found, end - 1)[1]],
      whole: (range) =>
        found
          .filter(({ outer: [from, to] }) => from < range[1] && to > range[0])
          .reduce(([start, end], { outer: [from, to] }) => [Math.min(start, from), Math.max(end, to)], range),
    })
  }
}

/** The place in the outer text of one decoded character. */
function outerPlace(found: readonly Escape[], at: number): Range {
  const last = found[countFirst(found, ({ inner: [from] }) => from <= at) - 1]
  if (last === undefined) return [at, at + 1]
  const { outer, inner } = last
  const after = outer[1] + at - inner[1]
  return at < inner[1] ? outer : [after, after + 1]
}

/** So many equal characters are filler: some large bodies are made of it, and take long to decode. */
const filler = 4096

/** Finds the runs of a text that have at least so many characters of a class. */
function runsOf(characters: string, least: number): (text: string, look: (run: string, from: number) => void) => void {
  const one = new RegExp(`[${characters}]`)
  const isOne = new Uint8Array(65_536).fill(Number(one.test('\x80')))
  for (let code = 0; code < 128; code++) isOne[code] = Number(one.test(String.fromCharCode(code)))
  // A long run has a character of the class at every `least`th place; few texts have many.
  return (text, look) => {
    let begin = 0
    for (let at = least - 1; at < text.length; at += least) {
      if (isOne[text.charCodeAt(at)] !== 1) continue
      if (text[at] === text[at + filler] && text.slice(at, at + filler) === text.slice(at + 1, at + 1 + filler)) {
        begin = at + filler
        at = begin - least
        continue
      }
      let from = at
      while (from > begin && isOne[text.charCodeAt(from - 1)] === 1) from--
      begin = at
      while (begin < text.length && isOne[text.charCodeAt(begin)] === 1) begin++
      if (begin - from >= least) look(text.slice(from, begin), from)
      at = begin
    }
  }
}

/** Digits of `bits` bits, in runs of at least so many bytes. */
function digitsOf(digits: string, bits: 4 | 5 | 6, leastBytes: number, bytesOf: (run: string) => string) {
  /** Digits after which bytes and digits begin together again. */
  const period = { 4: 2, 5: 8, 6: 4 }[bits]
  return {
    /** Calls `look` with each run and its place. */
    find: runsOf(digits, Math.ceil((leastBytes * 8) / bits)),
    /** Decodes a run from each of its first digits on. */
    decode(run: string, from: number, look: (view: View) => void): void {
      for (let skipped = 0; skipped < period; skipped++) {
        const text = bytesOf(run.slice(skipped))
        if (!readable.test(text)) continue
        const first = from + skipped
        const outer = ([start, end]: Range) =>
          [first + Math.floor((start * 8) / bits), first + Math.ceil((end * 8) / bits)] as const
        look({ text, outer })
      }
    },
  }
}

const base32 = 'abcdefghijklmnopqrstuvwxyz234567'

function ofBase32(run: string): string {
  let [bytes, bits, held] = ['', 0, 0]
  for (const digit of run.toLowerCase()) {
    bits = ((bits << 5) | base32.indexOf(digit)) & 0xfff
    held += 5
    if (held < 8) continue
    held -= 8
    bytes += String.fromCharCode((bits >> held) & 0xff)
  }
  return bytes
}

/** Bytes as numbers with signs between them, such as `73 6b`, `0x73, 0x6b` and `[115,107]`. `letters`: those that they have. */
function listsOf(letters: string, some: RegExp, between: RegExp, byte: RegExp, base: 10 | 16, leastBytes: number) {
  const find = runsOf(`\\0-@\\[-\`{-\\uffff${letters}`, leastBytes * 2)
  const first = new RegExp(`${some.source}(?=(?:${between.source})${some.source})`, 'gi')
  // One after another: a pattern for all of a long list exhausts the stack.
  const next = new RegExp(`(?:${between.source})${some.source}`, 'iy')
  return (text: string, look: (view: View) => void): void =>
    find(text, (run, from) => {
      for (let at = 0; ; ) {
        // Set each time: a look may search the view in turn.
        first.lastIndex = at
        const begin = first.exec(run)?.index
        if (begin === undefined) return
        at = first.lastIndex
        for (next.lastIndex = at; next.test(run); ) at = next.lastIndex
        if (at - begin >= leastBytes * 2) lookAt(run.slice(begin, at), from + begin, byte, base, look)
      }
    })
}

function lookAt(list: string, from: number, byte: RegExp, base: 10 | 16, look: (view: View) => void): void {
  const [starts, ends, signs]: [number[], number[], string[]] = [[], [], []]
  for (const { 0: digits, index } of list.matchAll(byte)) {
    starts.push(from + index)
    ends.push(from + index + digits.length)
    signs.push(String.fromCharCode(Number.parseInt(digits, base)))
  }
  const decoded = signs.join('')
  if (!readable.test(decoded)) return
  const outer = ([start, end]: Range) => [starts[start] ?? from, ends[end - 1] ?? from + list.length] as const
  look({ text: decoded, outer })
}

/** Bytes without it are no text: nearly all runs of digits are something else. */
const readable = /[\t\r\n -~]{6}/

function charOf(digits: string | undefined, base: number): string | undefined {
  const point = Number.parseInt(digits ?? '', base)
  return point <= 0x10ffff ? String.fromCodePoint(point) : undefined
}
