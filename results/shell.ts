import { gzipSync } from 'fflate'
import { quote } from 'shell-quote'
import { cut } from '../harness/common/cut.ts'
import { membersOf } from '../harness/exchange/read.ts'

/** Marks of values that only the shell has: secrets as in a record (`«key.full»`), and ids that the lines read (`«POD_1»`). */
const mark = /«([A-Za-z0-9._-]+)»/

/** The variable of a mark: `KEY_FULL` for `key.full`, the name itself if it is one already. */
function variableOf(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : name.replace(/[^A-Za-z0-9]/g, '_').toUpperCase()
}

/**
 * The variable that holds a secret: that of the target file, unless it has none or the lines use its name themselves.
 * `variables`: name of the mark to variable.
 */
export function secretVariable(name: string, variables: Readonly<Record<string, unknown>>): string {
  const own = variables[name]
  return typeof own === 'string' && /^(?!(BASE|AGENT|CLOCK|NONCE|POD|[A-Z]+_\d+)$)[A-Za-z_]\w*$/.test(own)
    ? own
    : variableOf(name)
}

/** A variable of the shell; lines without it end with a hint to the place of its value in the target file. */
export function required(variable: string, place: string): string {
  return `\${${variable}:?set it to ${place} (your target file)}`
}

/** A text with other names in its marks. */
export function renameMarks(text: string, renamed: (name: string) => string): string {
  return text.replaceAll(new RegExp(mark, 'g'), (_, name: string) => `«${renamed(name)}»`)
}

/** One shell word, its marks as variables: bare if that is safe, in double quotes around variables, else quoted. */
export function word(text: string): string {
  const parts = text.split(mark)
  if (parts.length === 1) return bare.test(text) ? text : quote([text])
  const isName = (at: number) => at % 2 === 1
  if (!parts.every((part, at) => isName(at) || plain.test(part)))
    return parts.map((part, at) => (isName(at) ? `"$${variableOf(part)}"` : part === '' ? '' : quote([part]))).join('')
  const use = (name: string, next = '') => (/^[A-Za-z0-9_[]/.test(next) ? `\${${name}}` : `$${name}`)
  return `"${parts.map((part, at) => (isName(at) ? use(variableOf(part), parts[at + 1]) : part)).join('')}"`
}

/** The flags of curl for the files that `network` of a target file names. */
const fileFlags = {
  'network.ca': '--cacert',
  'network.certificate.cert': '--cert',
  'network.certificate.key': '--key',
} as const

/** The keys of `network`, as recorded, that name files. */
export function filesOf(network: unknown): readonly string[] {
  const { ca, certificate } = membersOf(network) ?? {}
  return Object.keys(fileFlags).filter((name) => (name === 'network.ca' ? ca : certificate) != null)
}

/**
 * A shell function that replaces curl on a private network; empty if the target needs no files. Its variables are tested
 * before it: in the function, a missing one would end only the subshell of `$(curl …)`.
 */
export function curlFunction(files: readonly string[]): string[] {
  if (files.length === 0) return []
  const flags = files.map((name) => `${fileFlags[name as keyof typeof fileFlags]} "$${variableOf(name)}"`)
  return [
    ...files.map((name) => `export ${variableOf(name)}="${required(variableOf(name), `the file of ${name}`)}"`),
    `curl() { command curl ${flags.join(' ')} "$@"; }`,
  ]
}

/** Text for a comment: one line, without control characters, at most 300 characters. */
export function comment(text: string): string {
  return `# ${cut(text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, ' '), 300)}`
}

/** The argument of a printf that writes exactly these bytes. */
export function printfFormat(bytes: Uint8Array): string {
  const text = [...bytes].map((byte) => {
    const character = String.fromCharCode(byte)
    return /[A-Za-z0-9 {}[\]":,._/=+-]/.test(character) ? character : `\\x${byte.toString(16).padStart(2, '0')}`
  })
  return `'${text.join('')}'`
}

/** Bodies longer than this, in bytes, are printed packed. */
export const longBytes = 16 * 1024

/** A command that writes exactly these bytes. */
export function writing(bytes: Uint8Array): string {
  if (bytes.length <= longBytes) return `printf ${printfFormat(bytes)}`
  const packed = Buffer.from(gzipSync(bytes, { mtime: 0 })).toString('base64')
  return `printf ${packed} | base64 --decode | gzip -d`
}

/** A shell function that advances a controlled clock by so many milliseconds, through all events that are due. */
export const waitMs =
  'wait_ms() { local now end= i; for i in $(seq 1000); do ' +
  `now=$(curl -s "$CLOCK" | grep -o '"nowMs"[^,}]*' | grep -o '[0-9]*$'); end=\${end:-$((now + $1))}; ` +
  `[ "$now" -ge "$end" ] && break; curl -s -o /dev/null -X POST "$CLOCK" -H 'content-type: application/json' ` +
  `-d '{"advanceMs":'"$((end - now))"'}'; done; }`

/** A shell function that runs a command and advances a controlled clock meanwhile: the target may hold its response. */
export const moving =
  'moving() ( while sleep 0.1; do wait_ms 1000; done > /dev/null 2>&1 & "$@"; status=$?; kill $!; exit $status )'

/** Needs no quotes at all. */
const bare = /^[A-Za-z0-9_@%+=:,./-]+$/
/** The same between double quotes. */
const plain = /^[A-Za-z0-9_@%+=:;,./?&#()<>{}*~ -]*$/
