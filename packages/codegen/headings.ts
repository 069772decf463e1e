import { type Output, withHeader } from './header.ts'
import type { Inputs, Source } from './inputs.ts'
import { literal } from './literal.ts'

interface Heading {
  readonly level: number
  readonly text: string
  readonly name: string
}

const TYPE = `/** A heading of the description: its level, its text, and the name that sources call it by. */
export interface Heading {
  readonly level: number
  readonly text: string
  readonly name: string
}`

/** headings.ts: the headings in their order, and the labels that are accepted as sources too. */
export function generateHeadings({ headings }: Inputs): Output {
  const { labels } = headings.data as { labels: readonly string[] }
  const body = [
    TYPE,
    `export const headings: readonly Heading[] = ${literal(readHeadings(headings))}`,
    '/** Words that lead in to a table without being a heading. */',
    `export const labels: readonly string[] = ${literal(labels)}`,
  ].join('\n\n')
  return { name: 'headings.ts', text: withHeader(body, [headings.text]) }
}

/** The headings of a headings file. A remark in brackets at the end of a heading is no part of its name. */
export function readHeadings({ data }: Source): readonly Heading[] {
  const { headings } = data as { headings: readonly { level: number; text: string }[] }
  return headings.map(({ level, text }) => ({ level, text, name: text.replace(/ \([^()]*\)$/, '') }))
}

/** Every text that may stand as a source: headings, their names, labels. */
export function sourcesOf(source: Source): ReadonlySet<string> {
  const { labels } = source.data as { labels: readonly string[] }
  return new Set([...readHeadings(source).flatMap(({ text, name }) => [text, name]), ...labels])
}
