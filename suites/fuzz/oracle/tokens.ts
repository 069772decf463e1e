/** The tokens of a JSON text, white space left out. */
export function tokensOf(text: string): readonly string[] {
  return text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs) ?? []
}

/** The value of a text that is JSON; of members with the same name the first or the last counts. */
export function valueIn(text: string, counts: 'first' | 'last'): unknown {
  const tokens = tokensOf(text)
  let at = 0

  function value(): unknown {
    const token = tokens[at++]
    if (token === '{') return object()
    if (token === '[') return array()
    return JSON.parse(token ?? '')
  }

  function object(): unknown {
    const members = new Map<string, unknown>()
    while (tokens[at] !== '}') {
      if (tokens[at] === ',') at++
      const name = JSON.parse(tokens[at] ?? '') as string
      at += 2
      const member = value()
      if (counts === 'last' || !members.has(name)) members.set(name, member)
    }
    at++
    return Object.fromEntries(members)
  }

  function array(): unknown {
    const items: unknown[] = []
    while (tokens[at] !== ']') {
      if (tokens[at] === ',') at++
      items.push(value())
    }
    at++
    return items
  }

  return value()
}
