import { readFileSync } from 'node:fs'
import { type Document, isMap, isNode, isScalar, LineCounter, type Node, type Pair, parseDocument } from 'yaml'
import { ruleById } from '../generated/rules.ts'
import { type TargetFault, TargetFileError } from './error.ts'
import { normalise } from './normalise.ts'
import { checkSchema } from './schema.ts'
import type { Environment } from './secrets.ts'
import type { Target } from './types.ts'
import type { Path } from './values.ts'

/**
 * Reads a target file from disk. Secrets come from `environment` (names to values).
 * @throws TargetFileError with file, line, key path, the expected and the actual value.
 */
export function loadTarget(file: string, environment: Environment): Target {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code = String(error) } = error as { code?: string }
    const advice = 'give the path of one with --target FILE (docs/target-file.md shows how to write it)'
    const message =
      { ENOENT: `no such target file; ${advice}`, EISDIR: `a folder is no target file; ${advice}` }[code] ??
      `the target file cannot be read (${code}); expected a file that you may read`
    throw new TargetFileError(file, [{ line: 0, path: '', message }])
  }
  return parseTarget(text, { file, environment })
}

/** The target of a text in target-file form; `file` is its name in messages. Throws TargetFileError. */
export function parseTarget(text: string, { file, environment }: { file: string; environment: Environment }): Target {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: false, logLevel: 'error' })
  const lineOf = (offset: number | undefined) => (offset === undefined ? 1 : lines.linePos(offset).line)
  const textLines = text.split('\n')
  // Parser messages may quote the file, and the file may hold a key: only codes are passed on.
  const broken = document.errors.map(({ code, pos }) => {
    const line = lineOf(pos[0])
    return { line, path: '', message: syntaxFault(code, textLines[line - 1] ?? '') }
  })
  // Later faults are usually caused by the first.
  if (broken.length > 0) throw new TargetFileError(file, inOrder(broken).slice(0, 1))

  const faults: TargetFault[] = []
  const note = (path: Path, message: string, atKey = false) => {
    faults.push({ line: lineOf(offsetOf(document, path, atKey)), path: path.join('.'), message })
  }
  const checked = checkSchema(plainOf(document, file))
  if ('faults' in checked) {
    for (const { path, atKey, message } of checked.faults) note(path, message, atKey)
    throw new TargetFileError(file, inOrder(faults))
  }
  const target = normalise(checked.file, { environment, ruleIds: [...ruleById.keys()], fault: note })
  if (faults.length > 0) throw new TargetFileError(file, onceEach(inOrder(faults)))
  return target
}

/** The value of a document. Only aliases can fail here: one without its anchor, or too many of them. */
function plainOf(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch {
    const message = 'an alias (*name) has no anchor before it, or there are too many aliases; write the values out'
    throw new TargetFileError(file, [{ line: 0, path: '', message }])
  }
}

/** The sentence for a code of the parser at this line of the file. */
function syntaxFault(code: string, textLine: string): string {
  switch (code) {
    case 'DUPLICATE_KEY':
      return 'duplicate key in the same mapping; keep one'
    case 'MULTIPLE_DOCS':
      return 'a second document begins here; keep one document per target file'
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
