import { endianness } from 'node:os'

/** Rows of a block. Two neighbouring blocks are sorted at once. */
export const BLOCK_ROWS = 2 ** 19

/** Some rows of columns: each row is a point. Blocks need no room to grow, and free their memory one by one. */
export interface Block {
  readonly sent: Uint32Array<ArrayBuffer>
  readonly received: Uint32Array<ArrayBuffer>
  /** Place of all else about the point in a list. */
  readonly fate: Uint16Array<ArrayBuffer>
}

export function emptyBlock(): Block {
  const [sent, received] = [new Uint32Array(BLOCK_ROWS), new Uint32Array(BLOCK_ROWS)]
  return { sent, received, fate: new Uint16Array(BLOCK_ROWS) }
}

/** Sorts in little memory: rows that are at most a block from their place in one pass, any others in several. */
export function sortBySending(blocks: readonly Block[], length: number): void {
  const keys = new BigUint64Array(2 * BLOCK_ROWS)
  while (!isSorted(blocks, length)) {
    for (let at = 0; at < blocks.length; at++)
      sortRows(blocks.slice(at, at + 2), keys.subarray(0, Math.min(length - at * BLOCK_ROWS, keys.length)))
  }
}

function isSorted(blocks: readonly Block[], length: number): boolean {
  let last = 0
  return blocks.every(({ sent }, at) =>
    sent.subarray(0, length - at * BLOCK_ROWS).every((ticks) => {
      const isNext = ticks >= last
      last = ticks
      return isNext
    }),
  )
}

/** Sorts as many rows as there are keys. A key is the moment of a row above its place. */
function sortRows(blocks: readonly Block[], keys: BigUint64Array<ArrayBuffer>): void {
  const words = new Uint32Array(keys.buffer)
  const [place, moment] = endianness() === 'LE' ? [0, 1] : [1, 0]
  for (let n = 0; n < keys.length; n++) words[2 * n + place] = n
  for (const column of ['sent', 'received', 'fate'] as const) {
    const parts = blocks.map((block) => block[column])
    const isFirst = column === 'sent'
    for (let n = 0; n < keys.length; n++) {
      const from = isFirst ? n : (words[2 * n + place] ?? 0)
      words[2 * n + moment] = parts[from < BLOCK_ROWS ? 0 : 1]?.[from % BLOCK_ROWS] ?? 0
    }
    if (isFirst) keys.sort()
    for (let n = 0; n < keys.length; n++) {
      const part = parts[n < BLOCK_ROWS ? 0 : 1]
      if (part !== undefined) part[n % BLOCK_ROWS] = words[2 * n + moment] ?? 0
    }
  }
}
