import { closest, distance } from 'fastest-levenshtein'

/** The known word that `word` was probably meant to be; null if none is near. */
export function nearest(word: string, known: readonly string[]): string | null {
  if (known.length === 0) return null
  const best = closest(
    word.toLowerCase(),
    known.map((entry) => entry.toLowerCase()),
  )
  const match = known.find((entry) => entry.toLowerCase() === best)
  if (match === undefined) return null
  return distance(word.toLowerCase(), best) <= Math.max(2, Math.floor(word.length / 3)) ? match : null
}

/** `; did you mean X?` or, if nothing is near, the known words: all, or a few and the `list` that has them all. */
export function suggestion(word: string, known: readonly string[], list: string | null = null): string {
  const match = nearest(word, known)
  if (match !== null) return `; did you mean ${match}?`
  if (list === null) return `; known: ${known.join(', ')}`
  const some = related(word, known)
  return `${some.length === 0 ? '' : `; similar: ${some.join(', ')}`}; ${list}`
}

/** `unknown rule X`, with a rule that was probably meant or the command that lists all. */
export function unknownRule(id: string, known: readonly string[]): string {
  return `unknown rule ${id}${suggestion(id, known, 'plumbline rules lists all')}`
}

/** At most so many related words are named. */
const named = 3

/** The known words that share most parts of a word, the most similar first. */
function related(word: string, known: readonly string[]): string[] {
  const parts = partsOf(word)
  const shared = (entry: string) => partsOf(entry).filter((part) => parts.includes(part)).length
  return known
    .map((entry) => ({ entry, shared: shared(entry), away: distance(word, entry) }))
    .filter((one) => one.shared > parts.length / 2)
    .sort((a, b) => b.shared - a.shared || a.away - b.away)
    .slice(0, named)
    .map(({ entry }) => entry)
}

function partsOf(word: string): string[] {
  return word.toLowerCase().match(/[a-z\d]{2,}/g) ?? []
}
