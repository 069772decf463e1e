import { quote } from 'shell-quote'

/** A part of a shell word: literal text, or the value of a variable. */
export type Piece = string | { readonly variable: string }

/** Marks of secrets in a record: `«key.full»`. */
const mark = /«([A-Za-z0-9._-]+)»/g

/** The environment variable for a secret's mark: `KEY_FULL` for `key.full`. */
export function variableOf(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, '_').toUpperCase()
}

/** Text with every mark replaced by the variable of the secret. */
export function withSecrets(text: string): Piece[] {
  return split(text, mark, ([, name = '']) => ({ variable: variableOf(name) }))
}

/** Each piece of literal text split where `pattern` (with flag g) matches; `to` gives the replacement. */
export function replaceIn(pieces: readonly Piece[], pattern: RegExp, to: (match: RegExpMatchArray) => Piece): Piece[] {
  return pieces.flatMap((piece) => (typeof piece === 'string' ? split(piece, pattern, to) : [piece]))
}

/** One shell word: unquoted if that is safe, in double quotes around variables, else quoted. */
export function word(pieces: readonly Piece[]): string {
  const [first = ''] = pieces
  if (pieces.length <= 1 && typeof first === 'string') return bare.test(first) ? first : quote([first])
  if (pieces.every((piece) => typeof piece !== 'string' || plain.test(piece))) {
    return `"${pieces.map((piece, at) => (typeof piece === 'string' ? piece : use(piece.variable, pieces[at + 1]))).join('')}"`
  }
  return pieces.map((piece) => (typeof piece === 'string' ? quote([piece]) : `"$${piece.variable}"`)).join('')
}

/** Text for a comment: one line, without control characters, at most 300 characters unless told otherwise. */
export function comment(text: string, most = 300): string {
  const line = [...text].map((character) => (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(character) ? ' ' : character))
  return `# ${line.length > most ? `${line.slice(0, most - 1).join('')}…` : line.join('')}`
}

/** The argument of a printf that writes exactly these bytes. */
export function printfFormat(bytes: Uint8Array): string {
  const text = [...bytes].map((byte) => {
    const character = String.fromCharCode(byte)
    return /[A-Za-z0-9 {}[\]":,._/=+-]/.test(character) ? character : `\\x${byte.toString(16).padStart(2, '0')}`
  })
  return `'${text.join('')}'`
}

/** Needs no quotes at all. */
const bare = /^[A-Za-z0-9_@%+=:,./-]+$/
/** Literal between double quotes. */
const plain = /^[A-Za-z0-9_@%+=:;,./?&#()<>{}*~ -]*$/

function use(variable: string, next: Piece | undefined): string {
  return typeof next === 'string' && /^[A-Za-z0-9_[]/.test(next) ? `\${${variable}}` : `$${variable}`
}

function split(text: string, pattern: RegExp, to: (match: RegExpMatchArray) => Piece): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) pieces.push(text.slice(at, match.index))
    pieces.push(to(match))
    at = match.index + match[0].length
  }
  if (at < text.length) pieces.push(text.slice(at))
  return pieces
}
