import { membersOf } from '../../../harness/exchange/read.ts'
import { replaced } from '../../shared/replaced.ts'
import { type Place, typesOf } from '../schema.ts'
import type { Mutator, Rows } from './types.ts'

/** Levels of nesting that no honest body has. */
const deepLevels = 1_000
const nested = '['.repeat(deepLevels) + ']'.repeat(deepLevels)

/** Wrong as bytes: not JSON, more than one JSON, or JSON that readers take in different ways. */
export const byteMutators: readonly Mutator[] = [
  ...at(({ path }) => path.length === 0, {
    empty: ['no body', () => ''],
    blank: ['the body is white space', () => ' \n'],
    truncated: ['the last byte is missing', (text) => text.slice(0, -1)],
    half: ['the second half is missing', (text) => text.slice(0, Math.ceil(text.length / 2))],
    'two-documents': ['the same JSON twice', (text) => text + text],
    'two-lines': ['the same JSON on two lines', (text) => `${text}\n${text}`],
    'more-text': ['words follow the JSON', (text) => `${text} and more`],
    'nul-byte': ['a byte 0 follows the JSON', (text) => `${text}\0`],
    comment: ['it begins with a comment', (text) => `/* now */${text}`],
    'single-quotes': ['it is written with single quotes', (text) => text.replaceAll('"', "'")],
    bom: ['it begins with a byte order mark', (text) => `\uFEFF${text}`],
    spaced: ['white space around every part', (text) => text.replaceAll(/("[^"]*"|[{}[\],:])/g, ' $1\t\n ')],
    nested: [`it is ${deepLevels} lists within one another`, () => nested],
  }),
  ...at(isFilled, {
    'trailing-comma': ['a comma follows the last member or item', (text) => text.replace(/[}\]]$/, (end) => `,${end}`)],
  }),
  ...at(({ value, schema }) => membersOf(value) !== null && schema?.additionalProperties === false, {
    'nested-extra': [
      `a further member is ${deepLevels} lists within one another`,
      (text) => withMember(text, `"plumbline":${nested}`),
    ],
    'surrogate-name': [
      'a further member is called by half a surrogate pair',
      (text) => withMember(text, '"\\ud800":true'),
    ],
  }),
  ...at(({ value, schema }) => typeof value === 'string' && value !== '' && schema !== null, {
    'bare-word': ['a text without quotes', (text) => text.slice(1, -1)],
    'raw-newline': ['a line end within a text', ending('\n')],
    'wrong-escape': ['a text has an escape that JSON does not know', ending('\\x41')],
    'lone-surrogate': ['a text ends with half a surrogate pair', ending('\\udc00')],
    escaped: [
      'the first letter of a text is written as an escape',
      (text) =>
        text.replace(/^"([^"\\])/, (_, [letter = '']) => `"\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ],
    'not-utf8': ['a text holds a byte that is not UTF-8', ending(0xff)],
    overlong: ['a text holds a character in a form too long for UTF-8', ending(0xc1, 0x81)],
  }),
  ...at(({ value, schema }) => Number.isInteger(value) && schema !== null && typesOf(schema).includes('integer'), {
    'leading-zero': ['a number begins with 0', (text) => `0${text}`],
    'plus-sign': ['a number begins with +', (text) => `+${text}`],
    'not-a-number': ['a number is NaN', () => 'NaN'],
    'float-form': ['a whole number is written with a fraction of 0', (text) => `${text}.0`],
  }),
  ...members({
    twice: ['a member appears twice', (name, text) => `"${name}":${text},"${name}":${text}`],
    'twice-null-first': ['a member appears twice, first as null', (name, text) => `"${name}":null,"${name}":${text}`],
    'twice-null-last': ['a member appears twice, last as null', (name, text) => `"${name}":${text},"${name}":null`],
    'bare-name': ['the name of a member without quotes', (name, text) => `${name}:${text}`],
  }),
]

/** Replaced by other text; no body contains it. */
const mark = '\u2020plumbline\u2020'

/** Writes the JSON of places in another way. */
function at(isMeant: (place: Place) => boolean, rows: Rows<(text: string) => string | Buffer>): Mutator[] {
  return mutatorsOf(rows, (write, before, text, place) => (isMeant(place) ? [before, write(text)] : null))
}

/** Writes members in another way, from name and JSON of the value. */
function members(rows: Rows<(name: string, text: string) => string>): Mutator[] {
  return mutatorsOf(rows, (write, before, text, { path }) => {
    const name = path.at(-1)
    if (typeof name !== 'string') return null
    const quoted = JSON.stringify(name)
    return [before.slice(0, -quoted.length - 1), write(quoted.slice(1, -1), text)]
  })
}

/** `splice` gets the JSON before a place and of its value, and returns what replaces both. */
function mutatorsOf<W>(
  rows: Rows<W>,
  splice: (write: W, before: string, text: string, place: Place) => readonly [string, string | Buffer] | null,
): Mutator[] {
  return Object.entries(rows).map(([name, [says, write]]) => ({
    name,
    says,
    write: (body, place) => {
      const [before = '', after = ''] = JSON.stringify(replaced(body, place.path, mark)).split(JSON.stringify(mark))
      const parts = splice(write, before, JSON.stringify(place.value), place)
      // A copy: a Buffer may be a window on memory that others use.
      return parts && new Uint8Array(Buffer.concat([...parts, after].map((part) => Buffer.from(part))))
    },
  }))
}

/** These characters or bytes at the end of a text. */
function ending(...added: readonly (string | number)[]): (text: string) => Buffer {
  const parts = added.map((each) => (typeof each === 'string' ? Buffer.from(each) : Buffer.of(each)))
  return (text) => Buffer.concat([Buffer.from(text.slice(0, -1)), ...parts, Buffer.from('"')])
}

function withMember(text: string, member: string): string {
  return text === '{}' ? `{${member}}` : `${text.slice(0, -1)},${member}}`
}

function isFilled({ value, schema }: Place): boolean {
  return schema !== null && (Array.isArray(value) ? value.length > 0 : Object.keys(membersOf(value) ?? {}).length > 0)
}
