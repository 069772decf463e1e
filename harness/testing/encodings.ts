import fc from 'fast-check'

/** Keys of every character that a header value may hold, long enough not to be found by chance. */
export const someKey = fc
  .array(fc.integer({ min: 0x21, max: 0x7e }), { minLength: 12, maxLength: 48 })
  .map((codes) => String.fromCharCode(...codes))
  .filter((key) => new Set(key.toLowerCase()).size >= 8)

type Encode = (text: string) => string

const each = (encode: Encode) => (text: string) => text.split('').map(encode).join('')
const hex = (sign: string, digits = 2) => sign.charCodeAt(0).toString(16).padStart(digits, '0')
const wrapped = (length: number, end: string) => (text: string) =>
  text.replace(new RegExp(`.{${length}}(?=.)`, 'g'), `$&${end}`)
const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
const inHex =
  (between: string, before = '') =>
  (text: string) =>
    text
      .split('')
      .map((sign) => before + hex(sign))
      .join(between)
const inBase64 = (text: string) => Buffer.from(text).toString('base64')
const inBase32 = (text: string) => {
  const bits = each((sign) => sign.charCodeAt(0).toString(2).padStart(8, '0'))(text)
  const digits = bits.replace(
    /.{1,5}/g,
    (five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five.padEnd(5, '0'), 2)] ?? '',
  )
  return digits.padEnd(Math.ceil(digits.length / 8) * 8, '=')
}
const named = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&apos;'],
  ['/', '&sol;'],
])

/** Changes of a key itself. */
export const changes: Readonly<Record<string, Encode>> = {
  'as it is': (key) => key,
  'in upper case': (key) => key.toUpperCase(),
  'in lower case': (key) => key.toLowerCase(),
  reversed: (key) => key.split('').reverse().join(''),
  'without its last characters': (key) => key.slice(0, Math.max(8, Math.ceil(key.length * 0.8))),
}

/** How a target may write a text; each can be undone. */
export const encodings: Readonly<Record<string, Encode>> = {
  JSON: inJson,
  'JSON of PHP': (text) => inJson(text).replaceAll('/', '\\/'),
  'JSON of Gson': (text) => inJson(text).replace(/[+=&<>']/g, (sign) => `\\u${hex(sign, 4)}`),
  'JSON that escapes everything': each((sign) => `\\u${hex(sign, 4).toUpperCase()}`),
  'a script': each((sign) => `\\x${hex(sign)}`),
  'an address': encodeURIComponent,
  'an address in lower case': (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  'a path': (text) => encodeURIComponent(text).replaceAll('%2F', '/'),
  'an address in an address': (text) => encodeURIComponent(encodeURIComponent(text)),
  'a form': (text) => new URLSearchParams([['', text]]).toString().slice(1),
  HTML: (text) => text.replace(/[&<>"'/]/g, (sign) => named.get(sign) ?? sign),
  'decimal entities': each((sign) => `&#${sign.charCodeAt(0)};`),
  'hexadecimal entities': each((sign) => `&#x${hex(sign)};`),
  base64: inBase64,
  'base64 after one byte': (text) => inBase64(`:${text}`),
  'base64 between bytes': (text) => inBase64(`a:${text}:b`),
  'base64 of addresses': (text) => Buffer.from(text).toString('base64url'),
  'base64 of base64': (text) => inBase64(inBase64(text)),
  'base64 in lines': (text) => wrapped(19, '\r\n')(inBase64(text)),
  'base64 in a folded header': (text) => wrapped(19, ' ')(inBase64(text)),
  hexadecimal: (text) => Buffer.from(text).toString('hex'),
  'upper hexadecimal': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'hexadecimal with spaces': inHex(' '),
  'upper hexadecimal with spaces': (text) => inHex(' ')(text).toUpperCase(),
  'hexadecimal with colons': inHex(':'),
  'hexadecimal with 0x': inHex('', '0x'),
  'hexadecimal with 0x and commas': inHex(', ', '0x'),
  'hexadecimal in pairs of bytes': (text) => wrapped(4, ' ')(Buffer.from(text).toString('hex')),
  'hexadecimal in lines': inHex('\r\n'),
  'decimal bytes': (text) => Buffer.from(text).join(' '),
  'decimal bytes with commas': (text) => `[${Buffer.from(text).join(', ')}]`,
  base32: inBase32,
  'base32 without padding': (text) => inBase32(text).replace(/=+$/, ''),
  'base32 in lower case': (text) => inBase32(text).toLowerCase(),
  'base32 between bytes': (text) => inBase32(`a:${text}:b`),
}

/** How servers write JSON: with no more escapes than needed, like PHP, and like Gson. */
export const writers: readonly ((value: unknown) => string)[] = [
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value).replaceAll('/', '\\/'),
  (value) => JSON.stringify(value).replace(/[+=&<>']/g, (sign) => `\\u${hex(sign, 4)}`),
]

/** Ways in which a text has a key, by an own search: every change in every encoding, read as it is, as JSON and as HTML. */
export function waysIn(text: string, key: string): string[] {
  const asJson = (json: string) =>
    json.replace(/\\u([\da-f]{4})|\\(.)/gi, (_, code, sign) => sign ?? String.fromCharCode(Number.parseInt(code, 16)))
  const asHtml = text
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
  const readings = [text, asJson(text), asJson(asJson(text)), asHtml].map((reading) => reading.toLowerCase())
  return Object.entries(changes).flatMap(([change, changed]) =>
    [['nothing', (one: string) => one] as const, ...Object.entries(encodings)].flatMap(([encoding, encode]) => {
      const form = encode(changed(key)).replace(/=+$/, '').toLowerCase()
      // The ends of base64 and base32 depend on what is beside the key.
      const part = /^base(32|64)/.test(encoding) ? form.slice(4, -4) : form
      return readings.some((reading) => reading.includes(part)) ? [`${change}, ${encoding}`] : []
    }),
  )
}
