/** A command line as its words: split at spaces, with quotes around what holds some; null where a quote has no end. */
export function wordsOf(line: string): readonly string[] | null {
  const words = line.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? []
  if (/["']/.test(line.replace(/"[^"]*"|'[^']*'/g, ''))) return null
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single))
}
