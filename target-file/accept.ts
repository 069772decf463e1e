import { type Document, isMap, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml'
import type { KnownFailure } from '../target/types.ts'

/**
 * The text of a target file with these entries under `known`; its comments stay. An entry for the same rule and clause, or
 * for the whole rule, gets the new reason and day. Null if `known` is not a list but an alias of one.
 */
export function withKnown(text: string, entries: readonly KnownFailure[]): string | null {
  const document = parseDocument(text, { merge: false })
  const list = listOf(document)
  if (list === null) return null
  for (const { rule, clause, reason, expires } of entries) {
    const entry = entryOf(list, rule, clause)
    if (entry === undefined) {
      list.add(document.createNode({ rule, ...(clause === null ? {} : { clause }), reason, expires }))
    } else {
      entry.set('reason', reason)
      entry.set('expires', expires)
    }
  }
  return textOf(document, text)
}

/** The list of entries, created if the file has none; null for an alias. */
function listOf(document: Document): YAMLSeq | null {
  const list = document.get('known')
  if (isSeq(list)) {
    if (list.items.length === 0) list.flow = false
    return list
  }
  if (list !== undefined && list !== null) return null
  const created = document.createNode([]) as YAMLSeq
  document.set('known', created)
  return created
}

function entryOf({ items }: YAMLSeq, rule: string, clause: string | null): YAMLMap | undefined {
  const ofRule = items.filter(isMap).filter((item) => item.get('rule') === rule)
  return (
    ofRule.find((item) => item.get('clause') === (clause ?? undefined)) ?? ofRule.find((item) => !item.has('clause'))
  )
}

/** The document in the style of its source, as far as yaml can keep it: indented lists, padded braces, ends of lines. */
function textOf(document: Document, source: string): string {
  const text = document.toString({
    lineWidth: 0,
    indentSeq: !/^- /m.test(source),
    flowCollectionPadding: !/[{[][^\s}\]]/.test(source.replace(/\$\{.*?\}/g, '')),
  })
  return source.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text
}
