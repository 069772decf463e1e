import type { ValueOf } from './dimensions.ts'

/** 64 KB: many platforms store a result of that size elsewhere than a small one. */
const large = 'x'.repeat(65_536)
/** Directions of writing, quotes, markup, and the characters that end a line in scripts. */
const unicode = 'naïve 漢字 🚀 e\u0301 \u202eabc\u202c "\\/\b\f\n\r\t <b>&amp;</b> \u2028\u2029'
/** Longer than the names that some stores keep. */
const longName = 'name '.repeat(100)
const nested = { a: [{ b: [[], [[null, { c: { d: 1.5 } }]]] }], e: { f: { g: { h: { i: [true, -0.25, 1e21] } } } } }

/** Texts that a careless store takes for other values. */
const likeOthers = { yes: 'true', none: 'null', number: '12', date: '2026-01-01T00:00:00Z' }

/** A text whose brackets must not count as nesting, with quotes that do not end it. */
const brackets = `${'[{'.repeat(500)}"${'['.repeat(1_000)}\\"${'{'.repeat(1_000)}`

/** The outputs of a worker: any JSON value but null, which may be left out. */
export const outputs: Readonly<Record<ValueOf<'output'>, unknown>> = {
  object: { depth: 3 },
  number: 7,
  fraction: 1.23456789,
  'empty object': {},
  false: false,
  zero: 0,
  'empty text': '',
  'JSON in a text': '{"a":1}\n',
  'empty list': [],
  'null members': { first: null, list: [null] },
  nested: [nested, likeOthers, 'last'],
  large: { text: large },
  unicode: { [unicode]: unicode },
}

/** Members of an input. */
export const inputs: Readonly<Record<ValueOf<'input'>, Readonly<Record<string, unknown>>>> = {
  plain: {},
  'empty values': { '': 'no name', no: false, zero: 0, text: '', list: [], object: {}, nothing: null },
  nested: { nested, likeOthers, [longName]: 'long' },
  large: { text: large },
  unicode: { [unicode]: unicode },
  brackets: { brackets },
  // Names that every object inherits, and names in submissions and jobs.
  'reserved names': { constructor: 'a', toString: 'b', input: 'c', webhook: 'd', policy: 'e', id: 'f' },
}

/** An input of all that may be lost while a job waits to be executed again. */
export const keptInput = { ...inputs['empty values'], ...inputs.nested, ...inputs.unicode }
