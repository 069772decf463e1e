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

/** `; did you mean X?` or, if nothing is near, the list of known words. */
export function suggestion(word: string, known: readonly string[]): string {
  const match = nearest(word, known)
  return match === null ? `; known: ${known.join(', ')}` : `; did you mean ${match}?`
}
