import type { Readable } from 'node:stream'

/**
 * Calls `take` with each line of a stream, and `end` after the last one. Only a line feed ends a line: the module readline also
 * takes U+2028, which JSON leaves as it is.
 */
export function eachLine(from: Readable, take: (line: string) => void, end = () => {}): void {
  let begun: string[] = []
  from.setEncoding('utf8')
  from.on('data', (text: string) => {
    const [first = '', ...others] = text.split('\n')
    begun.push(first)
    for (const next of others) {
      take(begun.join(''))
      begun = [next]
    }
  })
  from.on('end', () => {
    if (begun.join('') !== '') take(begun.join(''))
    end()
  })
}
