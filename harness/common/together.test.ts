import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { together } from './together.ts'

test('the first failure stops the others, and is told once all have ended', async () => {
  const stop = new AbortController()
  const said: string[] = []
  let begun = 0
  const line = async () => {
    const nth = ++begun
    if (nth === 2) throw new Error('the first')
    while (!stop.signal.aborted) await nextTurn()
    await nextTurn()
    said.push(`line ${nth} has ended`)
    if (nth === 3) throw new Error('a later one')
  }
  await expect(together(3, line, stop)).rejects.toThrow('the first')
  expect(said.sort()).toEqual(['line 1 has ended', 'line 3 has ended'])
})

test('lines that all succeed leave the others alone', async () => {
  const stop = new AbortController()
  await together(2, async () => {}, stop)
  expect(stop.signal.aborted).toBe(false)
})
