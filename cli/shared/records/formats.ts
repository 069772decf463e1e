import { dirname, join, resolve } from 'node:path'
import { type Format, formatNames } from '../../../reports/format-names.ts'
import { oneOf } from '../arguments.ts'
import { UsageError } from '../errors.ts'
import { writableFile } from './output-folders.ts'
import { reportFiles } from './record.ts'

/** The formats of `--format`: those for standard output, and those with a file. */
export interface Formats {
  /** Empty unless named: then standard output has the usual text. */
  readonly printed: readonly Format[]
  readonly files: readonly FormatFile[]
}

interface FormatFile {
  readonly format: Format
  /** As it was typed. */
  readonly name: string
}

/** Formats of lines, which can share standard output. */
const sharing: ReadonlySet<Format> = new Set(['text', 'github'])

/** Reads `--format FORMAT` and `--format FORMAT=FILE`. Throws UsageError for an unknown format, and for two in one place. */
export function parseFormats(given: readonly string[]): Formats {
  const all = given.map((text) => {
    const [word = '', ...rest] = text.split('=')
    return { format: oneOf('format', formatNames)(word), name: rest.length === 0 ? null : rest.join('=') }
  })
  const printed = all.flatMap(({ format, name }) => (name === null ? [format] : []))
  const files = all.flatMap(({ format, name }) => (name === null ? [] : [{ format, name }]))
  const twice = printed.find((format, at) => printed.indexOf(format) !== at)
  if (twice !== undefined) throw new UsageError(`--format ${twice} is given twice; give it once, or once with a file`)
  const alone = printed.find((format) => !sharing.has(format))
  const other = printed.find((format) => format !== alone)
  if (alone !== undefined && other !== undefined) {
    throw new UsageError(
      `--format ${other} and --format ${alone} would both write to standard output; give one of them a file, such as --format ${alone}=FILE`,
    )
  }
  return { printed, files }
}

/**
 * The files of the formats, by path. Throws UsageError if one cannot be written, is named twice, or is one of those that
 * `--out` writes.
 */
export function openFormats({ files }: Formats, cwd: string, out: string | undefined): ReadonlyMap<string, Format> {
  const opened = new Map<string, Format>()
  for (const { format, name } of files) {
    const typed = `--format ${format}=${name}`
    const file = writableFile(cwd, '--format', name, typed)
    if (opened.has(file)) throw new UsageError(`${typed} and another format name the same file; name two`)
    if (
      out !== undefined &&
      dirname(file) === resolve(cwd, out) &&
      reportFiles.some((own) => file === join(cwd, out, own))
    )
      throw new UsageError(`${typed} is a file that --out ${out} writes; name another file`)
    opened.set(file, format)
  }
  return opened
}

/** True if standard output holds something else than lines for people. */
export function isForPrograms({ printed }: Formats): boolean {
  return printed.some((format) => !sharing.has(format))
}
