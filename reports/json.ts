/** A line of formatted JSON, and whether its member is one of those that were looked for. */
interface JsonLine {
  readonly text: string
  readonly isMarked: boolean
}

const tokens = /"(?:\\.|[^"\\])*"|[{}[\],:]|[^\s{}[\],:"]+/g

/**
 * The lines of a JSON text, indented, with every token as it was sent: digits and repeated members stay. Marks the members
 * that `about` names. Null if the text is not an object or a list.
 */
export function jsonLines(text: string, about = ''): JsonLine[] | null {
  try {
    if (typeof JSON.parse(text) !== 'object') return null
  } catch {
    return null
  }
  const lines: string[] = []
  let line = ''
  let depth = 0
  const end = () => {
    lines.push(line)
    line = '  '.repeat(depth)
  }
  const all = text.match(tokens) ?? []
  for (const [at, token] of all.entries()) {
    const opens = token === '{' || token === '['
    const closes = token === '}' || token === ']'
    const isEmpty = closes && /^[{[]$/.test(all[at - 1] ?? '')
    if (opens) depth++
    if (closes) depth--
    if (closes && !isEmpty) end()
    line += token === ':' ? ': ' : token
    if ((opens && !/^[}\]]$/.test(all[at + 1] ?? '')) || token === ',') end()
  }
  lines.push(line)
  return lines.map((text) => ({ text, isMarked: isNamed(/^ *"((?:\\.|[^"\\])+)":/.exec(text)?.[1], about) }))
}

/** True if a text names the member as a word. */
function isNamed(member: string | undefined, about: string): boolean {
  return member !== undefined && about.split(/[^\w$-]+/).includes(member)
}
