import { isDeepStrictEqual } from 'node:util'
import { Document, isAlias, isMap, isSeq, parse, parseDocument, stringify, type YAMLMap } from 'yaml'
import { membersOf } from '../../../harness/exchange/read.ts'
import { UsageError } from '../errors.ts'

/** True if a target file with the content `file` lacks something of `line`, such as `pods: {volume: VOLUME_ID}`. */
export function lacks(file: unknown, line: string): boolean {
  const draft = draftOf(file)
  addTo(draft, line)
  return !isDeepStrictEqual(draft.toJS(), file ?? {})
}

/** True if the file has `false` where `true` is wanted. */
function isDenied(old: unknown, wanted: unknown): boolean {
  return old === false && wanted === true
}

function union(old: unknown, wanted: unknown): unknown[] {
  return [...new Set([old, wanted].flat())]
}

/**
 * Adds `line` to a target file. Comments stay, except the note of init about the same key. What the file has already stays too,
 * except `false`; a list gets the members that it lacks.
 */
export function addTo(document: Document, line: string): void {
  put(document, [], parse(line))
}

function put(document: Document, path: readonly string[], value: unknown): void {
  const members = membersOf(value)
  const old = document.getIn(path)
  if (isAlias(document.getIn(path, true))) {
    throw new UsageError(`${path.join('.')} is an alias, so nothing is added below it; write its value out`)
  }
  if (members === null || old === undefined) {
    if (old === undefined || isDenied(old, value)) document.setIn(path, document.createNode(value))
    else if (isSeq(old)) document.setIn(path, document.createNode(union(old.toJSON(), value)))
    const section = document.getIn(path.slice(0, -1), true)
    const at = path.length > 1 && isMap(section) ? section : document
    const comments = at.comment?.split('\n').filter((text) => !isNote(text, path.at(-1) ?? ''))
    if (comments !== undefined) at.comment = comments.join('\n')
    return
  }
  // The short form of a section is its address. Its node keeps the comment.
  if (typeof old === 'string') document.setIn(path, document.createNode({ url: document.getIn(path, true) }))
  for (const [key, member] of Object.entries(members)) put(document, [...path, key], member)
}

/** True for a comment that `addComment` made of this key. */
function isNote(text: string, key: string): boolean {
  return text.startsWith(` ${key}: `) && text.includes(' # ')
}

/** A target file to which lines are added. The parser would give the comments at its end to the last section. */
export function documentOf(text: string): Document {
  const lines = text.split('\n')
  const end = lines.findLastIndex((line) => line !== '' && !line.startsWith('#')) + 1
  const document: Document = parseDocument(lines.slice(0, end).join('\n'))
  const comments = lines.slice(end).map((line) => line.slice(1))
  document.comment = comments.join('\n').trimEnd().replace(/^\n+/, '')
  return document
}

/** A document with these members, to which lines are added on trial. */
export function draftOf(file: unknown): Document {
  return new Document(file ?? {}, { aliasDuplicateObjects: false })
}

/**
 * Notes `line` in a target file as a comment at the place where it would be added, with the reason after it. The sections of the
 * file are mappings. Returns the number of comments.
 */
export function addComment(document: Document, line: string, reason: string): number {
  let node: Document | YAMLMap = document
  let members = membersOf(parse(line)) ?? {}
  for (;;) {
    const [key = '', ...others] = Object.keys(members)
    const below: unknown = node.get(key)
    if (others.length > 0 || !isMap(below)) break
    node = below
    members = membersOf(members[key]) ?? {}
  }
  const at = node
  const isNoted = (key: string) => at.comment?.split('\n').some((text) => isNote(text, key)) === true
  const missing = Object.entries(members).filter(([key]) => !at.has(key) && !isNoted(key))
  const texts = at === document ? [line] : missing.map(([key, value]) => flow({ [key]: value }))
  const comments = texts.map((text) => ` ${text} # ${reason}`)
  if (comments.length > 0) at.comment = [...(at.comment == null ? [] : [at.comment]), ...comments].join('\n')
  return comments.length
}

/** Members on one line, without braces around the whole. */
function flow(members: Readonly<Record<string, unknown>>): string {
  return Object.entries(members)
    .map(([key, value]) =>
      stringify({ [key]: value }, flowing)
        .trim()
        .slice(1, -1)
        .trim(),
    )
    .join(' and ')
}

const flowing = { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 } as const
