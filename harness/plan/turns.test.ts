import { expect, test } from 'vitest'
import { createReserve, type ReservedRule } from './reserve.ts'
import { createTurns, nextToStart, type Occupancy } from './turns.ts'

const nothing: Occupancy = {
  alone: false,
  sharesQuota: true,
  exclusive: [],
  shared: [],
  wakes: [],
  workers: 0,
  creates: 0,
}

/** Notes who runs, at once and each time that `look` has ended one of them. */
async function watching(leaves: Map<string, () => void>) {
  const seen: string[] = []
  const look = async (ended = '') => {
    leaves.get(ended)?.()
    leaves.delete(ended)
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
    seen.push([...leaves.keys()].join(' '))
  }
  await look()
  return { seen, look }
}

/** Takes turns at the same time, gives each back when it is asked to, and tells who runs after each of these. */
async function play(
  claims: Readonly<Record<string, Partial<Occupancy>>>,
  scenarios: number,
  workers: number,
  ends: string[],
) {
  const turns = createTurns({ scenarios, workers, creates: workers })
  const leaves = new Map<string, () => void>()
  for (const [name, occupancy] of Object.entries(claims)) {
    void turns.take({ ...nothing, ...occupancy }).then((turn) => leaves.set(name, turn.leave))
  }
  const { seen, look } = await watching(leaves)
  for (const name of ends) {
    await look(name)
  }
  return seen
}

test('no more beside each other than the limit', async () => {
  expect(await play({ a: {}, b: {}, c: {} }, 2, 0, ['a'])).toEqual(['a b', 'b c'])
})

test('who has no pods runs beside as many as the limit allows', async () => {
  const jobs = { sharesQuota: false }
  expect(await play({ a: {}, b: jobs, c: {}, d: jobs }, 1, 0, ['a'])).toEqual(['a b d', 'b d c'])
})

test('those that must be alone come last, one by one', async () => {
  const claims = { a: { alone: true }, b: {}, c: { alone: true } }
  expect(await play(claims, 5, 0, ['b', 'a'])).toEqual(['b', 'a', 'c'])
})

test('an endpoint is for one at a time; others go past who waits for it', async () => {
  const claims = { a: { exclusive: ['d'] }, b: { exclusive: ['d', 'e'] }, c: { exclusive: ['f'] } }
  expect(await play(claims, 5, 0, ['a'])).toEqual(['a c', 'c b'])
})

test('no more workers than there are; one that wants more runs when none is kept', async () => {
  const claims = { a: { workers: 2 }, b: { workers: 2 }, c: { workers: 1 }, d: { workers: 9 } }
  expect(await play(claims, 5, 3, ['a', 'b', 'c'])).toEqual(['a c', 'c b', 'c', 'd'])
})

test('rules with fewer workers do not keep one waiting that needs more', async () => {
  const claims = { a: { workers: 1 }, b: { workers: 1 }, c: { workers: 2 }, d: { workers: 1 }, e: { workers: 1 } }
  expect(await play(claims, 5, 2, ['a', 'b', 'c', 'd'])).toEqual(['a b', 'b', 'c', 'd e', 'e'])
  expect(await play(claims, 5, 3, ['a', 'b', 'c', 'd'])).toEqual(['a b', 'b c', 'c d', 'd e', 'e'])
})

test('no more workers of created endpoints than the target file grants', async () => {
  const claims = { a: { creates: 2 }, b: { creates: 2 }, c: { creates: 1, workers: 3 }, d: { creates: 9 } }
  expect(await play(claims, 5, 3, ['a', 'b', 'c'])).toEqual(['a c', 'c b', 'c', 'd'])
})

test('workers may be given back before the turn', async () => {
  const turns = createTurns({ scenarios: 5, workers: 1, creates: 0 })
  const first = await turns.take({ ...nothing, workers: 1, exclusive: ['d'] })
  const begun: string[] = []
  void turns.take({ ...nothing, workers: 1 }).then(() => begun.push('worker'))
  void turns.take({ ...nothing, exclusive: ['d'] }).then(() => begun.push('endpoint'))
  first.freeWorkers()
  await new Promise(setImmediate)
  expect(begun).toEqual(['worker'])
  first.leave()
  await new Promise(setImmediate)
  expect(begun).toEqual(['worker', 'endpoint'])
})

test('who shares an endpoint lets those go first that want it to themselves, and then shares it', async () => {
  const days = { shared: ['z'] }
  const claims = { a: days, b: { exclusive: ['z'] }, c: days, d: { exclusive: ['z'] }, e: {} }
  expect(await play(claims, 5, 0, ['b', 'd', 'a', 'c'])).toEqual(['b e', 'e d', 'e a c', 'e c', 'e'])
})

test('who brings a worker to an endpoint after a while does so beside others who do, before who shares it', async () => {
  const claims = { a: { shared: ['z'] }, b: { wakes: ['z'] }, c: { exclusive: ['z'] }, d: { wakes: ['z'] } }
  expect(await play(claims, 5, 0, ['b', 'd', 'c'])).toEqual(['b d', 'd', 'c', 'a'])
})

test('nobody is let in where others share', async () => {
  expect(await play({ a: { shared: ['z'] } }, 5, 0, [])).toEqual(['a'])
  const [a, b] = [
    { ...nothing, shared: ['z'] },
    { ...nothing, exclusive: ['z'] },
  ]
  expect(nextToStart([b], [a], { scenarios: 5, workers: 0, creates: 0 })).toBe(null)
})

test('where nothing runs something begins, though two let each other go first', async () => {
  const claims = {
    a: { exclusive: ['x'], shared: ['z'] },
    b: { exclusive: ['z'], shared: ['x'] },
    c: { alone: true, exclusive: ['z'] },
    d: { shared: ['x'], workers: 7 },
  }
  expect(await play(claims, 5, 3, ['a', 'b', 'd'])).toEqual(['a', 'b d', 'd', 'c'])
})

/** Plays planned rules and a reserve: each of `ends` ends a rule, with so much time left. Returns who runs, and who is given up. */
async function playReserve(
  planned: Readonly<Record<string, Partial<Occupancy>>>,
  reserve: Readonly<Record<string, Partial<Occupancy & ReservedRule>>>,
  granted: { readonly perMinute?: number; readonly spareRequests?: number },
  ends: readonly (readonly [rule: string, leftS: number])[],
) {
  let leftMs = 10_000
  const rules = Object.entries(reserve).map(([rule, { ms = 8_000, requests = 10 }]) => ({ rule, ms, requests }))
  const given = { rules, perMinute: null, spareRequests: null, ...granted }
  const turns = createTurns(
    { scenarios: 2, workers: 0, creates: 0 },
    createReserve(given, () => leftMs),
  )
  const leaves = new Map<string, () => void>()
  const givenUp: string[] = []
  // The reserve asks in another order than its own.
  for (const [name, { ms: _, requests: __, ...occupancy }] of Object.entries(reserve).reverse()) {
    void turns.takeIfTimeIsLeft(name, { ...nothing, ...occupancy }).then((turn) => {
      if (turn === null) givenUp.push(name)
      else leaves.set(name, turn.leave)
    })
  }
  for (const [name, occupancy] of Object.entries(planned)) {
    void turns.take({ ...nothing, ...occupancy }).then((turn) => leaves.set(name, turn.leave))
  }
  const { seen, look } = await watching(leaves)
  for (const [name, leftS] of ends) {
    leftMs = leftS * 1_000
    await look(name)
  }
  return { seen, givenUp: givenUp.sort() }
}

test('rules of the reserve begin in their order once no planned rule waits', async () => {
  const planned = { a: {}, b: {}, c: {} }
  const ends = [
    ['a', 60],
    ['b', 60],
    ['c', 60],
    ['x', 60],
  ] as const
  expect(await playReserve(planned, { x: {}, y: {}, z: {} }, {}, ends)).toEqual({
    seen: ['a b', 'b c', 'c', 'x y', 'y z'],
    givenUp: [],
  })
})

test('a rule of the reserve begins beside planned rules that need nothing of what it uses', async () => {
  const jobs = { sharesQuota: false }
  expect(await playReserve({ a: jobs, b: {} }, { x: jobs, y: {} }, {}, [['b', 60]])).toEqual({
    seen: ['a b x', 'a x y'],
    givenUp: [],
  })
})

test('rules that no longer fit with a margin are given up once nothing runs', async () => {
  const reserve = { x: {}, y: { ms: 20_000 }, z: { ms: 1_000 } }
  const ends = [
    ['a', 9],
    ['z', 8],
  ] as const
  expect(await playReserve({ a: {} }, reserve, {}, ends)).toEqual({ seen: ['a', 'z', ''], givenUp: ['x', 'y'] })
})

test('rules of the reserve fit into the requests that windows grant', async () => {
  const reserve = { x: { requests: 40 }, y: { requests: 30 }, z: { requests: 30 } }
  const ends = [
    ['a', 60],
    ['x', 60],
  ] as const
  expect(await playReserve({ a: {} }, reserve, { perMinute: 60 }, ends)).toEqual({
    seen: ['a', 'x', 'y'],
    givenUp: [],
  })
  expect(await playReserve({ a: {} }, reserve, { spareRequests: 75 }, ends)).toEqual({
    seen: ['a', 'x y', 'y'],
    givenUp: [],
  })
})
