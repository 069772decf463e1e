import { endianness } from 'node:os'
import type { Point, Points } from './points.ts'

/** Ticks per millisecond: the precision of a number that holds a moment of this epoch, so that no moment is rounded. */
const TICKS = 4096
/** How long before the end of the first request any request may begin, ms. */
const EARLIER_MS = 2 ** 18
/** Points kept as objects, which take twelve times the memory. */
const FEW = 100_000
/** Different fates that a column can tell apart. */
const MAX_FATES = 2 ** 16

/** All of a point but its moments: one object for many points. */
export type Fate = Omit<Point, 'sentMs' | 'receivedMs'>

/** Columns of all points. */
interface Columns {
  readonly baseMs: number
  sent: Uint32Array
  received: Uint32Array
  /** Place of the fate in the list. */
  fate: Uint16Array
  readonly fates: Fate[]
}

interface Timed {
  readonly fate: Fate
  readonly sentMs: number
  readonly receivedMs: number
}

/** Collects points in any order; `done` returns them in order of sending. */
export interface PointCollector {
  /** Returns how many there are. */
  add(fate: Fate, sentMs: number, receivedMs: number): number
  done(): Points
}

/** A few points become an array. Many become columns, if they lie within minutes and share their fates. */
export function createPointCollector(): PointCollector {
  let few: Timed[] = []
  let columns: Columns | null = null
  let count = 0
  const numbers = new Map<Fate, number>()

  function put(fate: Fate, sentMs: number, receivedMs: number): boolean {
    if (columns === null) return false
    const sent = (sentMs - columns.baseMs) * TICKS
    const received = (receivedMs - columns.baseMs) * TICKS
    let number = numbers.get(fate)
    if (number === undefined) {
      number = columns.fates.push(fate) - 1
      numbers.set(fate, number)
    }
    const fits =
      number < MAX_FATES &&
      [fate.retryAfter, fate.resident].every((one) => one === undefined) &&
      fate.endpoint !== undefined
    if (!fits || !isColumn(sent) || !isColumn(received)) return false
    if (count === columns.sent.length) grow(columns)
    columns.sent[count] = sent
    columns.received[count] = received
    columns.fate[count++] = number
    return true
  }

  return {
    add(fate, sentMs, receivedMs) {
      if (put(fate, sentMs, receivedMs)) return count
      if (columns !== null) few = timedOf(columns, count)
      columns = null
      if (few.push({ fate, sentMs, receivedMs }) !== FEW) return few.length
      columns = emptyColumns(receivedMs - EARLIER_MS)
      if (few.every((one) => put(one.fate, one.sentMs, one.receivedMs))) few = []
      else columns = null
      return FEW
    },
    done() {
      if (columns === null) return few.map(pointOf).sort((a, b) => a.sentMs - b.sentMs)
      sortBySending(columns, count)
      return new PointColumns(columns, count)
    },
  }
}

function timedOf({ baseMs, sent, received, fate, fates }: Columns, count: number): Timed[] {
  return Array.from({ length: count }, (_, n) => ({
    fate: fates[fate[n] ?? 0] as Fate,
    sentMs: baseMs + (sent[n] ?? 0) / TICKS,
    receivedMs: baseMs + (received[n] ?? 0) / TICKS,
  }))
}

function pointOf({ fate, sentMs, receivedMs }: Timed): Point {
  return { ...fate, sentMs, receivedMs }
}

/** Points in columns: each is made anew when it is looked at. */
class PointColumns implements Points {
  readonly #columns: Columns
  readonly #places: Uint32Array | null
  readonly length: number

  /** `places`: those of the points in the columns; null for the first `length`. */
  constructor(columns: Columns, length: number, places: Uint32Array | null = null) {
    this.#columns = columns
    this.length = length
    this.#places = places
  }

  at(place: number): Point | undefined {
    const from = place < 0 ? this.length + place : place
    return from < 0 || from >= this.length ? undefined : this.#point(this.#places?.[from] ?? from)
  }

  *[Symbol.iterator](): Generator<Point, undefined> {
    for (let n = 0; n < this.length; n++) yield this.#point(this.#places?.[n] ?? n)
  }

  filter(isWanted: (point: Point) => boolean): Points {
    const places = new Uint32Array(this.length)
    let count = 0
    for (let n = 0; n < this.length; n++) {
      const place = this.#places?.[n] ?? n
      if (isWanted(this.#point(place))) places[count++] = place
    }
    return new PointColumns(this.#columns, count, places.subarray(0, count))
  }

  find(isWanted: (point: Point) => boolean): Point | undefined {
    for (const point of this) if (isWanted(point)) return point
    return undefined
  }

  some(isWanted: (point: Point) => boolean): boolean {
    return this.find(isWanted) !== undefined
  }

  every(isWanted: (point: Point) => boolean): boolean {
    return !this.some((point) => !isWanted(point))
  }

  #point(place: number): Point {
    const { baseMs, sent, received, fate, fates } = this.#columns
    // Not a spread of the fate, which takes five times as long.
    const { operation, endpoint, status, kind } = fates[fate[place] ?? 0] as Fate & { endpoint: string }
    const sentMs = baseMs + (sent[place] ?? 0) / TICKS
    return { operation, endpoint, sentMs, receivedMs: baseMs + (received[place] ?? 0) / TICKS, status, kind }
  }
}

function isColumn(ticks: number): boolean {
  return Number.isInteger(ticks) && ticks >= 0 && ticks < 2 ** 32
}

function emptyColumns(baseMs: number): Columns {
  const length = 2 * FEW
  const [sent, received] = [new Uint32Array(length), new Uint32Array(length)]
  return { baseMs: Math.floor(baseMs), sent, received, fate: new Uint16Array(length), fates: [] }
}

function grow(columns: Columns): void {
  const longer = <A extends Uint32Array | Uint16Array>(column: A, grown: A): A => {
    grown.set(column)
    return grown
  }
  const length = 2 * columns.sent.length
  columns.sent = longer(columns.sent, new Uint32Array(length))
  columns.received = longer(columns.received, new Uint32Array(length))
  columns.fate = longer(columns.fate, new Uint16Array(length))
}

/** Sorts in little memory: by one number for each point, its moment above its place. */
function sortBySending({ sent, received, fate }: Columns, count: number): void {
  const keys = new BigUint64Array(count)
  const words = new Uint32Array(keys.buffer)
  const [place, moment] = endianness() === 'LE' ? [0, 1] : [1, 0]
  for (let n = 0; n < count; n++) {
    words[2 * n + place] = n
    words[2 * n + moment] = sent[n] ?? 0
  }
  keys.sort()
  for (let n = 0; n < count; n++) sent[n] = words[2 * n + moment] ?? 0
  // The words of the moments are free now.
  for (const column of [received, fate]) {
    for (let n = 0; n < count; n++) words[2 * n + moment] = column[words[2 * n + place] ?? 0] ?? 0
    for (let n = 0; n < count; n++) column[n] = words[2 * n + moment] ?? 0
  }
}
