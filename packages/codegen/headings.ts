import type { Source } from './inputs.ts'

/**
 * The headings of a headings file, each with its level, its text, and the name that sources call it by. A remark in brackets
 * at the end of a heading is not a part of its name.
 */
export function readHeadings({ data }: Pick<Source, 'data'>) {
  const { headings } = data as { headings: readonly { level: number; text: string }[] }
  return headings.map(({ level, text }) => ({ level, text, name: text.replace(/ \([^()]*\)$/, '') }))
}

/** The texts that a source may be: headings, their names, and labels of tables without a heading. */
export function sourcesOf(source: Pick<Source, 'data'>): ReadonlySet<string> {
  const { labels } = source.data as { labels: readonly string[] }
  return new Set([...readHeadings(source).flatMap(({ text, name }) => [text, name]), ...labels])
}
