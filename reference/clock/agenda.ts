import type { Cancel, Task } from './types.ts'

interface Entry {
  readonly atMs: number
  readonly order: number
  readonly run: Task
  place: number
}

/** Events by time, then by the order in which they were added. Adding, cancelling and taking cost O(log n). */
interface Agenda {
  add(atMs: number, run: Task): Cancel
  /** When the earliest event is due; null if there is none. */
  nextMs(): number | null
  /** Removes and returns the earliest event that is due at `nowMs`, or undefined. */
  takeDue(nowMs: number): Task | undefined
  clear(): void
}

const GONE = -1

export function createAgenda(): Agenda {
  const heap: Entry[] = []
  let added = 0

  return {
    add(atMs, run) {
      const entry: Entry = { atMs, order: added++, run, place: heap.length }
      heap.push(entry)
      rise(heap, entry)
      return () => {
        if (entry.place !== GONE) remove(heap, entry)
      }
    },
    nextMs: () => heap[0]?.atMs ?? null,
    takeDue(nowMs) {
      const first = heap[0]
      if (first === undefined || first.atMs > nowMs) return undefined
      remove(heap, first)
      return first.run
    },
    clear() {
      for (const entry of heap) entry.place = GONE
      heap.length = 0
    },
  }
}

function remove(heap: Entry[], entry: Entry): void {
  const place = entry.place
  const last = heap.pop()
  entry.place = GONE
  if (last === undefined || last === entry) return
  put(heap, last, place)
  rise(heap, last)
  sink(heap, last)
}

function rise(heap: Entry[], entry: Entry): void {
  while (entry.place > 0) {
    const place = entry.place
    const parentPlace = (place - 1) >> 1
    const parent = heap[parentPlace]
    if (parent === undefined || !isBefore(entry, parent)) return
    put(heap, parent, place)
    put(heap, entry, parentPlace)
  }
}

function sink(heap: Entry[], entry: Entry): void {
  for (;;) {
    const place = entry.place
    const left = heap[2 * place + 1]
    const right = heap[2 * place + 2]
    const child = right !== undefined && left !== undefined && isBefore(right, left) ? right : left
    if (child === undefined || !isBefore(child, entry)) return
    const childPlace = child.place
    put(heap, child, place)
    put(heap, entry, childPlace)
  }
}

function put(heap: Entry[], entry: Entry, place: number): void {
  heap[place] = entry
  entry.place = place
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
}
