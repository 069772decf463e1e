import { createHash } from 'node:crypto'
import { stripTypeScriptTypes } from 'node:module'
import { type babel, Instrumenter } from '@stryker-mutator/instrumenter'
import { reasonToLeaveOut } from './left-out.ts'

/** A source file, its path relative to the root of the project. */
interface Source {
  readonly file: string
  readonly text: string
}

/** A small change of one place of the source. */
export interface Mutant {
  /** Selects it in the instrumented code; only for this instrumentation. */
  readonly id: string
  /** Names it whatever its line: file, function, mutator, original and replacement. */
  readonly key: string
  readonly file: string
  /** From 1. */
  readonly line: number
  /** The file and the innermost named function. */
  readonly place: string
}

interface Span {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** Puts every mutant of the sources into one copy of them, where `__stryker__.activeMutant` selects one at run time. */
export async function instrument(sources: readonly Source[]) {
  const functions = new Map<string, Span[]>()
  const left = sources.values()
  let spans: Span[] = []
  /** Sees each node before its mutants are made, one file after the other. */
  const shouldIgnore = (path: babel.NodePath): string | undefined => {
    if (path.isProgram()) {
      spans = []
      functions.set(left.next().value?.file ?? '', spans)
    }
    const name = nameOf(path)
    const { start, end } = path.node
    if (name !== null && typeof start === 'number' && typeof end === 'number')
      spans.push({ name, from: start, to: end })
    return reasonToLeaveOut(path)
  }
  const { files, mutants } = await new Instrumenter(silent).instrument(
    sources.map(({ file, text }) => ({ name: file, content: text, mutate: true })),
    // The interface of the instrumenter hides what a node path is.
    {
      ignorers: [{ shouldIgnore: (path) => shouldIgnore(path as babel.NodePath) }],
      excludedMutations: [],
      plugins: null,
    },
  )
  const texts = new Map(sources.map(({ file, text }) => [file, text]))
  const leftOut: Record<string, number> = {}
  const seen = new Map<string, number>()
  const made: Mutant[] = []
  for (const { id, fileName: file, location, mutatorName, replacement = '', status, statusReason = '' } of mutants) {
    if (status === 'Ignored') {
      leftOut[statusReason] = (leftOut[statusReason] ?? 0) + 1
      continue
    }
    const text = texts.get(file) ?? ''
    const from = offsetOf(text, location.start)
    const place = `${file} ${innermost(functions.get(file) ?? [], from)}`
    const original = text.slice(from, offsetOf(text, location.end))
    const name = `${place} ${mutatorName}: ${brief(original)} → ${brief(replacement)}`
    const times = (seen.get(name) ?? 0) + 1
    seen.set(name, times)
    made.push({ id, key: times === 1 ? name : `${name} (${times})`, file, line: location.start.line + 1, place })
  }
  return {
    mutants: made,
    /** How many mutants were left out, for each reason. */
    leftOut,
    /** JavaScript with every mutant in it, by file. */
    code: new Map(files.map(({ name, content }) => [name, stripTypeScriptTypes(content)])),
  }
}

/** The name of a function, by its declaration or by what holds it. */
function nameOf(path: babel.NodePath): string | null {
  if (!path.isFunction()) return null
  const { node, parent } = path
  const holder =
    'id' in node && node.id != null
      ? node.id
      : 'key' in node
        ? node.key
        : parent.type === 'VariableDeclarator'
          ? parent.id
          : parent.type === 'ObjectProperty'
            ? parent.key
            : null
  return holder?.type === 'Identifier' ? holder.name : null
}

/** The shortest function around a place; mutants outside all of them belong to the module. */
function innermost(spans: readonly Span[], at: number): string {
  const around = spans.filter(({ from, to }) => from <= at && at < to)
  return around.toSorted((a, b) => a.to - a.from - (b.to - b.from))[0]?.name ?? 'module'
}

function offsetOf(text: string, { line, column }: { readonly line: number; readonly column: number }): number {
  let at = 0
  for (let n = 0; n < line; n++) at = text.indexOf('\n', at) + 1
  return at + column
}

/** A text on one line; of a long one its beginning and a digest of the whole. */
function brief(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= 70
    ? line
    : `${line.slice(0, 60)}… ${createHash('sha256').update(line).digest('hex').slice(0, 6)}`
}

/** A logger that is disabled on each level. */
const silent = new Proxy({}, { get: () => () => false }) as ConstructorParameters<typeof Instrumenter>[0]
