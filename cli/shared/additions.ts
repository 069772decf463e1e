import { Document, isAlias, isMap, isSeq, parse, stringify, type YAMLMap } from 'yaml'
import { membersOf } from '../../harness/exchange/read.ts'
import { allPlanes } from '../../harness/planes/index.ts'
import { UsageError } from './errors.ts'

/**
 * How to add `line`, such as `pods: {volume: VOLUME_ID}`, to a target file with the content `file`: below an existing
 * section, in place of a short form, of `false` or of a shorter list, or as a new line. The end of a sentence that begins with "to claim it,"; null
 * if the file has all of it.
 */
export function addition(file: unknown, line: string): string | null {
  let added = membersOf(parse(line)) ?? {}
  let there = membersOf(file) ?? {}
  const path: string[] = []
  for (;;) {
    const [key = '', ...others] = Object.keys(added)
    const inner = membersOf(added[key])
    const below = there[key]
    if (others.length > 0 || inner === null || below === undefined) break
    // The one section with a short form: its address alone.
    if (typeof below === 'string') {
      const whole = { [key]: { url: below, ...inner } }
      return `write instead of ${flow({ [key]: below })} this: ${flow(whole)}`
    }
    path.push(key)
    added = inner
    there = membersOf(below) ?? {}
  }
  const denied = Object.fromEntries(Object.entries(added).filter(([key, value]) => isDenied(there[key], value)))
  const where = path.length === 0 ? '' : ` below ${path.join('.')}`
  const missing = Object.fromEntries(Object.entries(added).filter(([key]) => there[key] === undefined))
  const more = path.length === 0 ? (withRequired(added) ?? line) : flow(missing)
  const longer = Object.fromEntries(
    Object.entries(added).flatMap(([key, value]) =>
      isLonger(there[key], value) ? [[key, union(there[key], value)]] : [],
    ),
  )
  const parts: string[] = []
  if (Object.keys(denied).length > 0) parts.push(`write${where}: ${flow(denied)}, instead of false`)
  if (Object.keys(longer).length > 0) parts.push(`write${where}: ${flow(longer)}`)
  if (Object.keys(missing).length > 0) parts.push(`add${where}: ${more}`)
  return parts.length === 0 ? null : parts.join('; ')
}

/** True if the file has `false` where `true` is wanted. */
function isDenied(old: unknown, wanted: unknown): boolean {
  return old === false && wanted === true
}

/** True if the file has a list that lacks members of the wanted one. */
function isLonger(old: unknown, wanted: unknown): boolean {
  return Array.isArray(old) && Array.isArray(wanted) && wanted.some((member) => !old.includes(member))
}

function union(old: unknown, wanted: unknown): unknown[] {
  return [...new Set([old, wanted].flat())]
}

/**
 * Adds `line` to a target file, whose comments stay. What the file has already stays too, except `false`; a list gets the members
 * that it lacks.
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
    return
  }
  // The short form of a section is its address. Its node keeps the comment.
  if (typeof old === 'string') document.setIn(path, document.createNode({ url: document.getIn(path, true) }))
  for (const [key, member] of Object.entries(members)) put(document, [...path, key], member)
}

/** A document with these members, to which lines are added on trial. */
export function draftOf(file: unknown): Document {
  return new Document(file ?? {}, { aliasDuplicateObjects: false })
}

/**
 * Notes `line` in a target file as a comment at the place where it would be added, with the reason after it. The sections of the
 * file are mappings.
 */
export function addComment(document: Document, line: string, reason: string): void {
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
  const isNoted = (key: string) => at.comment?.split('\n').some((text) => text.startsWith(` ${key}: `)) === true
  const missing = Object.entries(members).filter(([key]) => !at.has(key) && !isNoted(key))
  const texts =
    at === document ? [withRequired(members) ?? line] : missing.map(([key, value]) => flow({ [key]: value }))
  const comments = texts.map((text) => ` ${text} # ${reason}`)
  if (comments.length > 0) at.comment = [...(at.comment == null ? [] : [at.comment]), ...comments].join('\n')
}

/** The members that claim a plane: required in its section of the file; undefined for what is no plane. */
function requiredOf(section: string): Readonly<Record<string, unknown>> | undefined {
  const line = allPlanes().find(({ name }) => name === section)?.capabilities[section]?.line ?? null
  if (line === null) return undefined
  const given = parse(line)[section]
  return typeof given === 'string' ? { url: given } : given
}

/** The section with its required members; null if it needs none. */
function withRequired(added: Readonly<Record<string, unknown>>): string | null {
  const [section = ''] = Object.keys(added)
  const least = requiredOf(section)
  const given = membersOf(added[section])
  if (least === undefined || given === null) return null
  const both = Object.entries(least).map(([key, value]) => [key, { ...membersOf(value), ...membersOf(given[key]) }])
  const nested = Object.fromEntries(both.filter(([key]) => membersOf(least[String(key)]) !== null))
  return flow({ [section]: { ...least, ...given, ...nested } })
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
