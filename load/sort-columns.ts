import { endianness } from 'node:os'

/** Rows that are sorted at once, twice over. */
const SORTED_ROWS = 2 ** 19

/** Columns of points, of which each row is one. */
export interface SortedColumns {
  sent: Uint32Array<ArrayBuffer>
  received: Uint32Array<ArrayBuffer>
  /** Place of all else about the point in a list. */
  fate: Uint16Array<ArrayBuffer>
}

/** Sorts in little memory: rows that are at most `SORTED_ROWS` from their place in one pass, any others in several. */
export function sortBySending(columns: SortedColumns, length: number): void {
  const keys = new BigUint64Array(2 * SORTED_ROWS)
  const sent = columns.sent.subarray(0, length)
  const isSorted = () => sent.every((ticks, row) => row === 0 || ticks >= (sent[row - 1] ?? 0))
  while (!isSorted()) {
    for (let start = 0; start < length; start += SORTED_ROWS)
      sortRows(columns, start, keys.subarray(0, Math.min(length - start, keys.length)))
  }
}

/** Sorts as many rows as there are keys. A key is the moment of a row above its place. */
function sortRows({ sent, received, fate }: SortedColumns, start: number, keys: BigUint64Array<ArrayBuffer>): void {
  const words = new Uint32Array(keys.buffer)
  const [place, moment] = endianness() === 'LE' ? [0, 1] : [1, 0]
  for (let n = 0; n < keys.length; n++) {
    words[2 * n + place] = start + n
    words[2 * n + moment] = sent[start + n] ?? 0
  }
  keys.sort()
  for (let n = 0; n < keys.length; n++) sent[start + n] = words[2 * n + moment] ?? 0
  // The words of the moments are free now.
  for (const column of [received, fate]) {
    for (let n = 0; n < keys.length; n++) words[2 * n + moment] = column[words[2 * n + place] ?? 0] ?? 0
    for (let n = 0; n < keys.length; n++) column[start + n] = words[2 * n + moment] ?? 0
  }
}
