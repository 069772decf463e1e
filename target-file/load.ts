import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Document, isMap, isNode, isScalar, LineCounter, type Node, type Pair, parseDocument, visit } from 'yaml'
import { allRows } from '../harness/run/rows.ts'
import type { Environment, Resolved } from '../target/secrets.ts'
import type { Target } from '../target/types.ts'
import type { Path } from '../target/values.ts'
import { type TargetFault, TargetFileError } from './error.ts'
import { normalise } from './normalise.ts'
import { checkSchema } from './schema.ts'

/**
 * Reads a target file from disk. Secrets come from `environment` (names to values).
 * @throws TargetFileError with file, line, key path, the expected and the actual value.
 */
export function loadTarget(file: string, environment: Environment): Target {
  return parseTarget(textOfFile(file), { file, environment })
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of a target file. Throws TargetFileError. */
export function textOfFile(file: string): string {
  const advice = 'name a target file (docs/target-file.md shows how to write one)'
  const refusal = (message: string) => new TargetFileError(file, [{ line: 0, path: '', message }])
  try {
    const kind = statSync(file)
    // Reading a device or a pipe may never end.
    if (!kind.isFile()) throw refusal(`this is a ${kind.isDirectory() ? 'folder' : 'device or pipe'}; ${advice}`)
    return utf8.decode(readFileSync(file))
  } catch (error) {
    if (error instanceof TargetFileError) throw error
    if (error instanceof TypeError) throw refusal('this is not UTF-8; save it with that encoding')
    const { code = String(error) } = error as { code?: string }
    throw refusal(
      code === 'ENOENT'
        ? `no such target file; ${advice}`
        : `the target file cannot be read (${code}); expected a file that you may read`,
    )
  }
}

/** How a text is read: its name in messages, and the values of its variables. */
export interface Reading {
  readonly file: string
  readonly environment: Environment
  /** The clauses of a rule, for entries of `known`; missing if they are not to be checked. */
  readonly clausesOf?: (rule: string) => readonly string[]
}

/** The target of a text in target-file form. Throws TargetFileError with all faults that do not follow from others. */
export function parseTarget(text: string, { file, environment, clausesOf }: Reading): Target {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    merge: false,
    resolveKnownTags: false,
    logLevel: 'error',
  })
  const lineOf = (offset: number | undefined) => (offset === undefined ? 1 : lines.linePos(offset).line)
  const textLines = text.split('\n')
  // Parser messages may quote the file, and the file may hold a key: only codes are passed on.
  const broken = [...document.errors, ...document.warnings].map(({ code, pos }) => {
    const line = lineOf(pos[0])
    return { line, path: '', message: syntaxFault(code, textLines[line - 1] ?? ''), isAlone: alone.has(code) }
  })
  const [first] = inOrder(broken.filter(({ isAlone }) => !isAlone))
  // What comes after a fault of the syntax is usually caused by it.
  if (first !== undefined) throw new TargetFileError(file, [first])

  const faults: TargetFault[] = [...broken, ...aliasFaults(document, lineOf)]
  if (faults.length > broken.length) throw new TargetFileError(file, inOrder(faults))
  const note = (path: Path, message: string, atKey = false) => {
    faults.push({ line: lineOf(offsetOf(document, path, atKey)), path: path.join('.'), message })
  }
  const checked = checkSchema(plainOf(document, file))
  for (const { path, atKey, message } of checked.faults) note(path, message, atKey)
  const { file: mended, repaired } = checked.mended ?? { file: null, repaired: [] }
  const fault = (path: Path, message: string) => {
    if (!follows(path, repaired)) note(path, message)
  }
  const ruleIds = allRows().map(({ id }) => id)
  const target =
    mended === null ? null : normalise(mended, { environment, ruleIds, fault, clausesOf, readFile: besides(file) })
  if (target === null || faults.length > 0) throw new TargetFileError(file, onceEach(inOrder(faults)))
  return target
}

/** Reads files that are named relative to a target file. */
function besides(file: string): (name: string) => Resolved {
  return (name) => {
    const path = resolve(dirname(file), name)
    try {
      return { value: readFileSync(path, 'utf8') }
    } catch (error) {
      const { code = String(error) } = error as { code?: string }
      return { fault: `${path} cannot be read (${code}); expected a file that you may read` }
    }
  }
}

/** True if a fault is about a part of the file that is not as its author wrote it. */
function follows(path: Path, repaired: readonly Path[]): boolean {
  return repaired.some((one) =>
    path.length === 0 ? one.length === 1 : one.every((part, at) => String(path[at]) === String(part)),
  )
}

/** Codes of the parser that say nothing about the rest of the file. */
const alone: ReadonlySet<string> = new Set(['DUPLICATE_KEY', 'MULTIPLE_DOCS', 'TAG_RESOLVE_FAILED'])

/** The value of a document. Here only too many aliases fail. */
function plainOf(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch {
    throw new TargetFileError(file, [{ line: 0, path: '', message: 'too many aliases (*name); write the values out' }])
  }
}

/** Aliases that have no value, or one without an end, each with its line. */
function aliasFaults(document: Document, lineOf: (offset: number | undefined) => number): TargetFault[] {
  const faults: TargetFault[] = []
  visit(document, {
    Alias(_, alias, ancestors) {
      const of = alias.resolve(document)
      const name = `the alias *${alias.source}`
      const fault = (message: string) => faults.push({ line: lineOf(alias.range?.[0]), path: '', message })
      if (of === undefined) fault(`${name} has no anchor before it; write the value out`)
      else if (ancestors.includes(of)) fault(`${name} is inside the value that it stands for; write the value out`)
    },
  })
  return faults
}

/** The sentence for a code of the parser at this line of the file. */
function syntaxFault(code: string, textLine: string): string {
  switch (code) {
    case 'DUPLICATE_KEY':
      return 'duplicate key in the same mapping; keep one'
    case 'MULTIPLE_DOCS':
      return 'a second document begins here; keep one document per target file'
    case 'TAG_RESOLVE_FAILED':
      return 'a tag (!name) has no meaning here; write the value without it'
    case 'TAB_AS_INDENT':
      return 'a tab cannot indent YAML; use spaces'
    case 'BAD_SCALAR_START':
      return 'a value cannot begin with this character in YAML; put the value in quotes'
    case 'MULTILINE_IMPLICIT_KEY':
      return 'a key without a value; put a colon and a space after the key'
    case 'BLOCK_AS_IMPLICIT_KEY':
      return /: .*:( |$)/.test(textLine)
        ? 'a second key on one line; give each key a line of its own'
        : 'the line after this one is indented further than its parent; begin both in the same column'
  }
  const invalid = `invalid YAML (${code.toLowerCase().replaceAll('_', ' ')})`
  if (!['UNEXPECTED_TOKEN', 'MISSING_CHAR', 'BAD_INDENT'].includes(code)) return invalid
  if (/[^'"]\$\{/.test(textLine)) return `${invalid}; inside {…} and […] write '\${NAME}' in quotes`
  return `${invalid}; a bracket, brace or quote before this is not closed`
}

/** Line of the value at `path`, or of its key, or of the nearest node above it. */
function offsetOf(document: Document, path: Path, atKey: boolean): number | undefined {
  const above = document.getIn(path.slice(0, -1), true)
  const parent = path.length <= 1 ? document.contents : above
  const last = path.at(-1)
  if (isMap(parent) && last !== undefined) {
    const pair = parent.items.find(({ key }: Pair) => String(isScalar(key) ? key.value : key) === String(last))
    const node = atKey ? pair?.key : (pair?.value ?? pair?.key)
    if (isNode(node) && node.range) return node.range[0]
  }
  const node = path.length === 0 ? document.contents : document.getIn(path, true)
  if (isNode(node)) return (node as Node).range?.[0]
  return path.length === 0 ? undefined : offsetOf(document, path.slice(0, -1), false)
}

/** One fault for each environment variable, however many keys name it. */
function onceEach(faults: readonly TargetFault[]): TargetFault[] {
  const tailOf = ({ path, message }: TargetFault) => message.slice(path.length)
  const isOfVariable = (fault: TargetFault) => tailOf(fault).startsWith(': environment variable ')
  const groups = Map.groupBy(faults, (fault) => (isOfVariable(fault) ? tailOf(fault) : fault))
  return [...groups.values()].flatMap(([first, ...more]) => {
    if (first === undefined) return []
    const paths = [first, ...more].map(({ path }) => path).join(', ')
    return more.length === 0 ? [first] : [{ ...first, message: paths + tailOf(first) }]
  })
}

function inOrder(faults: readonly TargetFault[]): TargetFault[] {
  return [...faults].sort((a, b) => a.line - b.line)
}
