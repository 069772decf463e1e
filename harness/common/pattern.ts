import picomatch from 'picomatch'

/**
 * A matcher for an id, a glob in which `*` matches any text, dots included (`queue.*`, `*.fuzz`), or an area, which is
 * the first part of the ids of its rules.
 */
export function matcherOf(pattern: string): (id: string) => boolean {
  const matches = picomatch(pattern)
  const area = pattern.includes('.') ? null : `${pattern}.`
  return (id) => matches(id) || (area !== null && id.startsWith(area))
}
