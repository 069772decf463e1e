import { membersOf } from '../../../harness/exchange/read.ts'
import { replaced } from '../../shared/replaced.ts'
import type { Place } from '../places.ts'
import { typesOf } from '../schema.ts'
import type { ByteMutator } from './types.ts'

/** How deep a nesting is that no honest body has, in levels. */
export const deepLevels = 1_000

/** Wrong as bytes: no JSON, more than one JSON, or JSON that readers take in different ways. */
export const byteMutators: readonly ByteMutator[] = [
  whole('empty', 'no body', () => ''),
  whole('blank', 'the body is white space', () => ' \n'),
  whole('truncated', 'the last byte is missing', (text) => text.slice(0, -1)),
  whole('half', 'the second half is missing', (text) => text.slice(0, Math.ceil(text.length / 2))),
  whole('two-documents', 'the same JSON twice', (text) => text + text),
  whole('two-lines', 'the same JSON on two lines', (text) => `${text}\n${text}`),
  whole('more-text', 'words follow the JSON', (text) => `${text} and more`),
  whole('nul-byte', 'a byte 0 follows the JSON', (text) => `${text}\0`),
  whole('comment', 'it begins with a comment', (text) => `/* now */${text}`),
  whole('single-quotes', 'it is written with single quotes', (text) => text.replaceAll('"', "'")),
  whole('bom', 'it begins with a byte order mark', (text) => `\uFEFF${text}`),
  whole('spaced', 'white space around every part', (text) => text.replaceAll(/("[^"]*"|[{}[\],:])/g, ' $1\t\n ')),
  whole('nested', `it is ${deepLevels} lists within one another`, () => nested()),

  inside('trailing-comma', 'a comma follows the last member or item', isContainer, (text) =>
    text.replace(/[}\]]$/, (end) => `,${end}`),
  ),
  inside('nested-extra', `a further member is ${deepLevels} lists within one another`, isClosed, (text) =>
    withMember(text, `"plumbline":${nested()}`),
  ),
  inside('surrogate-name', 'a further member is called by half a surrogate pair', isClosed, (text) =>
    withMember(text, '"\\ud800":true'),
  ),

  inside('bare-word', 'a text without quotes', isText, (text) => text.slice(1, -1)),
  inside('raw-newline', 'a line end within a text', isText, (text) => `${text.slice(0, -1)}\n"`),
  inside(
    'wrong-escape',
    'a text has an escape that JSON does not know',
    isText,
    (text) => `${text.slice(0, -1)}\\x41"`,
  ),
  inside('lone-surrogate', 'a text ends with half a surrogate pair', isText, (text) => `${text.slice(0, -1)}\\udc00"`),
  inside('escaped', 'the first letter of a text is written as an escape', isText, (text) =>
    text.replace(/^"([^"\\])/, (_, letter: string) => `"\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ),
  inside('not-utf8', 'a text holds a byte that is not UTF-8', isText, bytesBefore([0xff])),
  inside('overlong', 'a text holds a character in a form too long for UTF-8', isText, bytesBefore([0xc1, 0x81])),

  inside('leading-zero', 'a number begins with 0', isNumber, (text) => `0${text}`),
  inside('plus-sign', 'a number begins with +', isNumber, (text) => `+${text}`),
  inside('not-a-number', 'a number is NaN', isNumber, () => 'NaN'),
  inside('float-form', 'a whole number is written with a fraction of 0', isNumber, (text) => `${text}.0`),

  twice('twice', 'a member appears twice', (name, text) => `${name}:${text},${name}:${text}`),
  twice('twice-null-first', 'a member appears twice, first as null', (name, text) => `${name}:null,${name}:${text}`),
  twice('twice-null-last', 'a member appears twice, last as null', (name, text) => `${name}:${text},${name}:null`),
  twice('bare-name', 'the name of a member without quotes', (name, text) => `${name.slice(1, -1)}:${text}`),
]

/** Stands where other text is to stand; no body of ours holds it. */
const mark = '\u2020plumbline\u2020'

function whole(name: string, says: string, write: (text: string) => string): ByteMutator {
  return {
    level: 'bytes',
    name,
    says,
    write: (body, { path }) => (path.length === 0 ? write(JSON.stringify(body)) : null),
  }
}

/** The JSON of one place is written in another way. */
function inside(
  name: string,
  says: string,
  isMeant: (place: Place) => boolean,
  write: (text: string) => string | readonly [before: string, bytes: readonly number[], after: string],
): ByteMutator {
  return {
    level: 'bytes',
    name,
    says,
    write: (body, place) => {
      if (!isMeant(place)) return null
      const text = write(JSON.stringify(place.value))
      const [before = '', after = ''] = JSON.stringify(replaced(body, place.path, mark)).split(JSON.stringify(mark))
      if (typeof text === 'string') return before + text + after
      // A copy: a Buffer may be a window on memory that others use.
      return new Uint8Array(
        Buffer.concat([Buffer.from(before + text[0]), Uint8Array.from(text[1]), Buffer.from(text[2] + after)]),
      )
    },
  }
}

/** A member is written in another way, its name in quotes given. */
function twice(name: string, says: string, write: (name: string, text: string) => string): ByteMutator {
  return {
    level: 'bytes',
    name,
    says,
    write: (body, { path, value }) => {
      const member = path.at(-1)
      if (typeof member !== 'string') return null
      const quoted = JSON.stringify(member)
      const text = JSON.stringify(replaced(body, path, mark))
      return text.replace(`${quoted}:${JSON.stringify(mark)}`, () => write(quoted, JSON.stringify(value)))
    },
  }
}

function bytesBefore(bytes: readonly number[]): (text: string) => readonly [string, readonly number[], string] {
  return (text) => [text.slice(0, -1), bytes, '"']
}

function withMember(text: string, member: string): string {
  return text === '{}' ? `{${member}}` : `${text.slice(0, -1)},${member}}`
}

function nested(): string {
  return '['.repeat(deepLevels) + ']'.repeat(deepLevels)
}

function isText({ value, schema }: Place): boolean {
  return typeof value === 'string' && value !== '' && schema !== null
}

function isNumber({ value, schema }: Place): boolean {
  return Number.isInteger(value) && schema !== null && typesOf(schema).includes('integer')
}

function isContainer({ value, schema }: Place): boolean {
  return schema !== null && (Array.isArray(value) ? value.length > 0 : Object.keys(membersOf(value) ?? {}).length > 0)
}

function isClosed({ value, schema }: Place): boolean {
  return membersOf(value) !== null && schema?.additionalProperties === false
}
