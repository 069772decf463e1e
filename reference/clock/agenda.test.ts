import { expect, test } from 'vitest'
import { createAgenda } from './agenda.ts'

const nothing = () => {}

test('gives events by time, then in the order they were added', () => {
  const agenda = createAgenda()
  const seen: string[] = []
  for (const [name, atMs] of [
    ['c', 30],
    ['a', 10],
    ['b1', 20],
    ['b2', 20],
    ['d', 40],
  ] as const) {
    agenda.add(atMs, () => void seen.push(name))
  }
  for (let run = agenda.takeDue(30); run !== undefined; run = agenda.takeDue(30)) run()
  expect(seen).toEqual(['a', 'b1', 'b2', 'c'])
  expect(agenda.nextMs()).toBe(40)
})

test('forgets what is cancelled, wherever it stands, and keeps the order of the rest', () => {
  const agenda = createAgenda()
  let next = 7
  const random = () => (next = (next * 1103515245 + 12345) % 2 ** 31)
  const events = Array.from({ length: 500 }, () => ({ atMs: random() % 1000 }))
  const cancels = events.map(({ atMs }) => agenda.add(atMs, nothing))
  const kept = events.filter((_, n) => {
    if (n % 3 !== 0) return true
    cancels[n]?.()
    cancels[n]?.()
    return false
  })
  const taken: (number | null)[] = []
  while (agenda.nextMs() !== null) {
    taken.push(agenda.nextMs())
    agenda.takeDue(1000)
  }
  expect(taken).toEqual(kept.map(({ atMs }) => atMs).sort((a, b) => a - b))
})

test('cancelling after clear or after the event does nothing', () => {
  const agenda = createAgenda()
  const cancelTaken = agenda.add(1, nothing)
  agenda.takeDue(1)
  const cancelCleared = agenda.add(2, nothing)
  agenda.clear()
  agenda.add(3, nothing)
  cancelTaken()
  cancelCleared()
  expect(agenda.nextMs()).toBe(3)
})
