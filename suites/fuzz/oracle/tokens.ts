import { membersOf } from '../../../harness/exchange/read.ts'

/** The tokens of a JSON text, white space left out. */
export function tokensOf(text: string): readonly string[] {
  return text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs) ?? []
}

/** The value of a JSON text; of members with the same name the first counts. */
export function firstValueIn(text: string): unknown {
  const isInObject: boolean[] = []
  // Objects become lists of members, which keep what repeats.
  const listed = tokensOf(text).map((token) => {
    if (token === '{' || token === '[') isInObject.push(token === '{')
    if (token === '{') return '{"members":[['
    const isMember = isInObject.at(-1) === true
    if (token === '}' || token === ']') isInObject.pop()
    if (token === '}') return ']]}'
    if (isMember && token === ',') return '],['
    return token === ':' ? ',' : token
  })
  return JSON.parse(listed.join(''), (_, value: unknown) => {
    const members = membersOf(value)?.members as [string, unknown][] | undefined
    const named = members?.filter(({ length }) => length > 0)
    return named === undefined ? value : Object.fromEntries([...named, ...named.toReversed()])
  })
}
