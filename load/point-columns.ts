import type { Point, Points } from './points.ts'
import { BLOCK_ROWS, type Block, emptyBlock, sortBySending } from './sort-columns.ts'

/** Ticks per millisecond: the precision of a number that holds a moment of this epoch, so that no moment is rounded. */
export const TICKS = 4096
/** How long before the end of the first request any request may begin, ms. */
const EARLIER_MS = 2 ** 18
/** Points kept as objects, which take twelve times the memory. */
const FEW = 100_000
/** Different fates that a column can tell apart. */
const MAX_FATES = 2 ** 16

/** All of a point but its moments: one object for many points. */
export type Fate = Omit<Point, 'sentMs' | 'receivedMs'>

/** Columns of all points, with the moments of the tick 0. */
type Columns = ReturnType<typeof emptyColumns>

interface Timed {
  readonly fate: Fate
  readonly sentMs: number
  readonly receivedMs: number
}

/** Collects points in any order; `done` returns them in order of sending. */
export type PointCollector = ReturnType<typeof createPointCollector>

/** A few points become an array. Many become columns, if they lie within minutes and share their fates. */
export function createPointCollector() {
  let few: Timed[] = []
  let columns: Columns | null = null
  let count = 0
  const numbers = new Map<Fate, number>()

  function put(fate: Fate, sentMs: number, receivedMs: number): boolean {
    if (columns === null) return false
    const sent = (sentMs - columns.sentBaseMs) * TICKS
    const received = (receivedMs - columns.receivedBaseMs) * TICKS
    let number = numbers.get(fate)
    if (number === undefined) {
      if (!hasColumns(fate) || columns.fates.length === MAX_FATES) return false
      number = columns.fates.push(fate) - 1
      numbers.set(fate, number)
    }
    if (!isWhole32(sent) || !isWhole32(received)) return false
    const row = count++ % BLOCK_ROWS
    if (row === 0) columns.blocks.push(emptyBlock())
    const block = columns.blocks.at(-1) as Block
    block.sent[row] = sent
    block.received[row] = received
    block.fate[row] = number
    return true
  }

  return {
    /** Returns how many there are. */
    add(fate: Fate, sentMs: number, receivedMs: number): number {
      if (put(fate, sentMs, receivedMs)) return count
      if (columns !== null) few = timedOf(columns, count)
      columns = null
      if (few.push({ fate, sentMs, receivedMs }) !== FEW) return few.length
      columns = emptyColumns(receivedMs - EARLIER_MS)
      if (few.every((one) => put(one.fate, one.sentMs, one.receivedMs))) few = []
      else columns = null
      return FEW
    },
    done(): Points {
      if (columns === null) return few.map(pointOf).sort((a, b) => a.sentMs - b.sentMs)
      sortBySending(columns.blocks, count)
      const rows = new Uint8Array(Math.ceil(count / 8)).fill(255)
      if (count % 8 > 0) rows[rows.length - 1] = (1 << (count % 8)) - 1
      return new PointColumns(columns, rows, count)
    },
  }
}

function timedOf(columns: Columns, count: number): Timed[] {
  const view = new RowView(columns)
  return Array.from({ length: count }, (_, row) => {
    view.row = row
    const { fate, sentMs, receivedMs } = view
    return { fate, sentMs, receivedMs }
  })
}

function pointOf({ fate, sentMs, receivedMs }: Timed): Point {
  return { ...fate, sentMs, receivedMs }
}

/** The same points with other moments, all sent and received so much later. Columns share their memory with these. */
export function moved(points: Points, sentByMs: number, receivedByMs: number): Points {
  if (points instanceof PointColumns) return points.moved(sentByMs, receivedByMs)
  return [...points].map((point) => {
    return { ...point, sentMs: point.sentMs + sentByMs, receivedMs: point.receivedMs + receivedByMs }
  })
}

/** All points in order of sending. Columns free their memory on the way: they must not be used afterwards. */
export function merged(all: readonly Points[]): Points {
  const collector = createPointCollector()
  // One object for all points of the same fate takes less memory.
  const fates = new Map<string, Fate>()
  for (const points of all) {
    if (points instanceof PointColumns) {
      points.moveTo(collector)
      continue
    }
    for (const { sentMs, receivedMs, ...fate } of points) {
      const key = JSON.stringify(fate)
      const known = fates.get(key) ?? fate
      fates.set(key, known)
      collector.add(known, sentMs, receivedMs)
    }
  }
  return collector.done()
}

/** Points in columns: each is made anew when it is looked at. */
class PointColumns implements Points {
  readonly #columns: Columns
  /** A bit for each row of the columns: 1 if its point is one of these. */
  readonly #chosen: Uint8Array
  readonly length: number

  constructor(columns: Columns, chosen: Uint8Array, length: number) {
    this.#columns = columns
    this.#chosen = chosen
    this.length = length
  }

  at(place: 0 | -1): Point | undefined {
    if (this.length === 0) return undefined
    let row = place === 0 ? this.#next(0) : 8 * this.#chosen.length - 1
    while (!this.#isChosen(row)) row--
    return this.#point(row)
  }

  *[Symbol.iterator](): Generator<Point, undefined> {
    for (let row = this.#next(0); row !== -1; row = this.#next(row + 1)) yield this.#point(row)
  }

  filter(isWanted: (point: Point) => boolean): Points {
    const chosen = new Uint8Array(this.#chosen.length)
    let count = 0
    this.#findRow((point, row) => {
      if (!isWanted(point)) return false
      chosen[row >> 3] = (chosen[row >> 3] ?? 0) | (1 << (row & 7))
      count++
      return false
    })
    return new PointColumns(this.#columns, chosen, count)
  }

  moved(sentByMs: number, receivedByMs: number): Points {
    const { sentBaseMs, receivedBaseMs } = this.#columns
    const bases = { sentBaseMs: sentBaseMs + sentByMs, receivedBaseMs: receivedBaseMs + receivedByMs }
    return new PointColumns({ ...this.#columns, ...bases }, this.#chosen, this.length)
  }

  moveTo(collector: PointCollector): void {
    const { blocks } = this.#columns
    let at = 0
    this.#findRow(({ fate, sentMs, receivedMs }, row) => {
      for (; at < Math.floor(row / BLOCK_ROWS); at++) free(blocks[at])
      collector.add(fate, sentMs, receivedMs)
      return false
    })
    for (; at < blocks.length; at++) free(blocks[at])
  }

  find(isWanted: (point: Point) => boolean): Point | undefined {
    const row = this.#findRow(isWanted)
    return row === -1 ? undefined : this.#point(row)
  }

  some(isWanted: (point: Point) => boolean): boolean {
    return this.#findRow(isWanted) !== -1
  }

  every(isWanted: (point: Point) => boolean): boolean {
    return !this.some((point) => !isWanted(point))
  }

  forEach(take: (point: Point) => void): void {
    this.#findRow((point) => {
      take(point)
      return false
    })
  }

  /** The first row whose point is wanted; -1 if there is none. The point is the same object each time. */
  #findRow(isWanted: (point: RowView, row: number) => boolean): number {
    const view = new RowView(this.#columns)
    for (let row = this.#next(0); row !== -1; row = this.#next(row + 1)) {
      view.row = row
      if (isWanted(view, row)) return row
    }
    return -1
  }

  /** The first chosen row from this one on; -1 if there is none. */
  #next(from: number): number {
    for (let row = from; row < 8 * this.#chosen.length; row++) if (this.#isChosen(row)) return row
    return -1
  }

  #isChosen(row: number): boolean {
    return ((this.#chosen[row >> 3] ?? 0) & (1 << (row & 7))) !== 0
  }

  #point(row: number): Point {
    const view = new RowView(this.#columns)
    view.row = row
    const { operation, endpoint, sentMs, receivedMs, status, kind } = view
    return { operation, endpoint, sentMs, receivedMs, status, kind }
  }
}

/** A point that is read from a row, without an object of each. */
class RowView implements Point {
  row = 0
  readonly #columns: Columns

  constructor(columns: Columns) {
    this.#columns = columns
  }

  get sentMs(): number {
    return this.#columns.sentBaseMs + this.#in('sent') / TICKS
  }

  get receivedMs(): number {
    return this.#columns.receivedBaseMs + this.#in('received') / TICKS
  }

  get operation(): string {
    return this.fate.operation
  }

  get endpoint(): string {
    return this.fate.endpoint ?? ''
  }

  get status(): number {
    return this.fate.status
  }

  get kind(): Point['kind'] {
    return this.fate.kind
  }

  get fate(): Fate {
    return this.#columns.fates[this.#in('fate')] as Fate
  }

  #in(column: keyof Block): number {
    return this.#columns.blocks[Math.floor(this.row / BLOCK_ROWS)]?.[column][this.row % BLOCK_ROWS] ?? 0
  }
}

function hasColumns({ retryAfter, unfinished, endpoint }: Fate): boolean {
  return retryAfter === undefined && unfinished === undefined && endpoint !== undefined
}

/** True for a number that a column of 32 bits holds as it is. */
export function isWhole32(ticks: number): boolean {
  return ticks >>> 0 === ticks
}

function emptyColumns(baseMs: number) {
  return {
    sentBaseMs: Math.floor(baseMs),
    receivedBaseMs: Math.floor(baseMs),
    blocks: [] as Block[],
    fates: [] as Fate[],
  }
}

function free(block: Block | undefined): void {
  for (const { buffer } of Object.values(block ?? {})) buffer.transfer(0)
}
