/** The words of a command line, split at spaces outside quotes; null if a quote is not closed. */
export function wordsOf(line: string): readonly string[] | null {
  const words = line.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? []
  if (/["']/.test(line.replace(/"[^"]*"|'[^']*'/g, ''))) return null
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single))
}
