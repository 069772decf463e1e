import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** How often each nonce was received by the workers of an endpoint. */
export interface Counts {
  add(nonce: string): void
  of(nonce: string): number
}

export function createMemoryCounts(): Counts {
  const counts = new Map<string, number>()
  return {
    add: (nonce) => void counts.set(nonce, (counts.get(nonce) ?? 0) + 1),
    of: (nonce) => counts.get(nonce) ?? 0,
  }
}

/** Counts in a folder that all workers of an endpoint share and that outlives them: each file has a byte for each time. */
export function createFileCounts(folder: string): Counts {
  mkdirSync(folder, { recursive: true })
  const fileOf = (nonce: string) => join(folder, createHash('sha256').update(nonce).digest('hex'))
  return {
    add: (nonce) => appendFileSync(fileOf(nonce), '.'),
    of: (nonce) => statSync(fileOf(nonce), { throwIfNoEntry: false })?.size ?? 0,
  }
}
