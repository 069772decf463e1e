import { describe, expect, test } from 'vitest'
import { randomFrom } from '../../harness/common/random.ts'
import { type Answer, type CompareOptions, compareRounds, exitOfAnswers } from '../shared/comparison/compare.ts'
import { sumLine } from '../shared/comparison/text.ts'
import { measuresOf, minRounds, type Round } from './measures.ts'

const pairs = { tolerance: 0.05, isPaired: true, measuresOf }

interface Server {
  readonly ms?: number
  readonly loadMs?: number
  readonly noise?: number
  readonly errors?: number
  /** Share of the requests at a fixed rate that are completed in time. */
  readonly done?: number
  /** The noise that both sides of a round share. */
  readonly level?: readonly number[]
}

/** Rounds of a server, in which one request more or less may end in a block of 16. */
function roundsOf(random: () => number, server: Server) {
  const { ms = 20, loadMs = 2 * ms, noise = 0.04, errors = 0, done = 1, level = [] } = server
  const about = (middle: number, at: number) => middle * Math.exp(noise * normal(random) + (level[at] ?? 0))
  return Array.from({ length: 20 }, (_, at): Round => {
    const throughput = 10 * Math.round(16 * done + 0.5 * normal(random))
    const [alone, load] = [about(ms, at), about(loadMs, at)]
    return { alone, load, throughput, errors: random() < 0.8 ? errors : 0, limited: 0 }
  })
}

/** A number from the standard normal distribution. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random())
}

function compared(seed: number, change: Server, options: Partial<CompareOptions> = {}) {
  const random = randomFrom(seed, 'synthetic')
  const side = (given: Server) => ({
    getPod: roundsOf(random, given),
    listPods: roundsOf(random, { noise: change.noise ?? 0.04 }),
  })
  const { noise = 0.04, level = [] } = change
  return compareRounds(side({ noise, level }), side({ ...change, noise, level }), { seed, ...pairs, ...options })
}

const kindsOf = (answers: readonly Answer[], operation: string) =>
  Object.fromEntries(answers.flatMap((one) => (one.operation === operation ? [[one.measure, one.kind]] : [])))

const seeds = Array.from({ length: 50 }, (_, seed) => seed)

describe.each([
  ['measured together', { isPaired: true }],
  ['measured at different times', { isPaired: false }],
])('%s', (_, options) => {
  const some = options.isPaired ? seeds : seeds.slice(0, 5)

  test('an A/A pair is quiet', () => {
    const kinds = some.map((seed) => new Set(compared(seed, {}, options).map(({ kind }) => kind)))
    expect(kinds.filter((all) => all.has('worse') || all.has('better'))).toEqual([])
    expect(kinds.filter((all) => all.has('too noisy to say')).length).toBeLessThanOrEqual(some.length / 10)
  })

  test('a candidate that is 10 % slower is found, as slow as it is', () => {
    const intervals = some.slice(0, 20).map((seed) => {
      const answers = compared(seed, { ms: 22 }, options)
      expect(kindsOf(answers, 'getPod')).toMatchObject({ alone: 'worse', load: 'worse', throughput: 'no difference' })
      expect(kindsOf(answers, 'listPods')).not.toMatchObject({ alone: 'worse' })
      return answers.find(({ operation, measure }) => operation === 'getPod' && measure === 'alone')
    })
    const holding = intervals.filter((one) => Number(one?.low) < 0.1 && Number(one?.high) > 0.1)
    expect(holding.length).toBeGreaterThanOrEqual(0.8 * intervals.length)
  })
})

test('an operation that is slower only under load is found', () => {
  expect(kindsOf(compared(1, { loadMs: 48 }), 'getPod')).toMatchObject({ alone: 'no difference', load: 'worse' })
})

test('a faster candidate is not worse', () => {
  expect(kindsOf(compared(1, { ms: 15 }), 'getPod')).toMatchObject({ alone: 'better', throughput: 'no difference' })
})

test('a candidate that does not keep up is found', () => {
  for (const seed of seeds.slice(0, 20)) {
    expect(kindsOf(compared(seed, { done: 0.85 }), 'getPod')).toMatchObject({
      alone: 'no difference',
      throughput: 'worse',
    })
  }
})

test.each([{ isPaired: true }, { isPaired: false }])('values that are equal have no difference: %j', (options) => {
  const rounds = Array.from({ length: 20 }, () => ({ alone: 20, load: 40, throughput: 160, errors: 0, limited: 0 }))
  const side = { getPod: rounds, listPods: rounds }
  const answers = compareRounds(side, side, { seed: 1, ...pairs, ...options })
  expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(['no difference']))
  expect(answers[0]).toMatchObject({ change: 0, low: 0, high: 0, p: 1 })
})

test('a time that the target reports is not bounded by a busy machine', () => {
  const side = (ms: number) => ({ runJob: Array.from({ length: 20 }, (_, at) => ({ executed: ms + (at % 3) })) })
  const measures = { executed: { title: 'a', reportedWith: 'completed' } }
  const answers = compareRounds(side(100), side(130), { seed: 1, ...pairs, measuresOf: () => measures, busy: 0.6 })
  expect(answers).toMatchObject([{ kind: 'worse', change: expect.closeTo(0.3, 1) }])
})

test('a property that a side does not report', () => {
  const rounds = Array.from({ length: 20 }, (_, at) => ({ queued: at % 2, executed: null }))
  const measures = {
    queued: { title: 'a', minValue: 20 },
    executed: { title: 'b', reportedWith: 'completed' },
    completed: { title: 'c' },
  }
  const answersOf = (completed: number | null) => {
    const side = { runJob: rounds.map((round) => ({ ...round, completed })) }
    return compareRounds(side, side, { seed: 1, ...pairs, measuresOf: () => measures })
  }
  const answers = answersOf(100)
  expect(answers.map(({ kind }) => kind)).toEqual(['no difference', 'not reported', 'no difference'])
  expect(exitOfAnswers(answers.slice(0, 2))).toBe(0)
  expect(sumLine('regress', answers.slice(0, 2))).toBe('regress: 1 not reported, 1 without a difference')
  // Jobs that FAILED have no such times in any target.
  expect(answersOf(null).map(({ kind }) => kind)).toEqual(['no difference', 'too noisy to say', 'too noisy to say'])
})

test('jobs that take 30 % longer are slower by as much, and wait no longer', () => {
  const side = (ms: number) => ({
    runJob: Array.from({ length: 20 }, (_, at) => ({ queued: at % 2, executed: ms + (at % 3), completed: ms + 45 })),
  })
  const answers = compareRounds(side(100), side(130), { seed: 1, ...pairs })
  const of = (wanted: string) => answers.find(({ measure }) => measure === wanted)
  expect(of('queued')).toMatchObject({ kind: 'no difference' })
  expect(of('executed')).toMatchObject({ kind: 'worse', change: expect.closeTo(0.3, 2) })
  expect(of('completed')).toMatchObject({ kind: 'worse', change: expect.closeTo(0.2, 1) })
})

test('noise that both sides share does not hide a slowdown', () => {
  const level = Array.from({ length: 20 }, (_, at) => (at % 5 === 0 ? 1 : 0))
  expect(kindsOf(compared(1, { ms: 22, level }), 'getPod')).toMatchObject({ alone: 'worse' })
})

test('a busy machine decides only about what it cannot cause', () => {
  expect(kindsOf(compared(1, { ms: 22 }, { busy: 0.4 }), 'getPod')).toMatchObject({ alone: 'too noisy to say' })
  expect(kindsOf(compared(1, { ms: 40 }, { busy: 0.4 }), 'getPod')).toMatchObject({ alone: 'worse' })
  expect(kindsOf(compared(1, {}, { busy: 0.4 }), 'getPod')).toMatchObject({ alone: 'no difference' })
})

test('noise of each side is too noisy to say, with the rounds that may decide', () => {
  const noisy = compared(1, { ms: 22, noise: 0.5 }).filter(
    ({ operation, measure }) => operation === 'getPod' && measure === 'alone',
  )
  expect(noisy).toMatchObject([{ kind: 'too noisy to say' }])
  expect(noisy[0]?.rounds).toBeGreaterThan(50)
})

test('more errors are found, and a few more are not enough', () => {
  expect(kindsOf(compared(1, { errors: 0.1 }), 'getPod')).toMatchObject({ errors: 'worse', limited: 'no difference' })
  expect(kindsOf(compared(1, { errors: 0.001 }), 'getPod')).toMatchObject({ errors: 'no difference' })
})

test('a side that never succeeds is too noisy to say for latencies, and has more errors', () => {
  const failed: Round = { alone: null, load: null, throughput: null, errors: 1, limited: 0 }
  const good = { getPod: roundsOf(randomFrom(1, 'good'), {}) }
  const answers = compareRounds(good, { getPod: good.getPod.map(() => failed) }, { seed: 1, ...pairs })
  expect(answers.map(({ kind }) => kind)).toEqual([...Array(3).fill('too noisy to say'), 'worse', 'no difference'])
  expect(answers[0]).toMatchObject({ change: null, rounds: null })
})

test('targets that go away in the middle are too noisy to say: so few rounds show nothing', () => {
  const away: Round = { alone: null, load: null, throughput: null, errors: 1, limited: 0 }
  const rounds = roundsOf(randomFrom(1, 'before'), { noise: 0 }).map((round, at) => (at < 7 ? round : away))
  const answers = compareRounds({ getPod: rounds }, { getPod: rounds }, { seed: 1, ...pairs })
  expect(answers.map(({ kind }) => kind)).toEqual([
    ...Array(3).fill('too noisy to say'),
    ...Array(2).fill('no difference'),
  ])
  expect(exitOfAnswers(answers)).toBe(3)
})

test('more operations need more rounds', () => {
  const names = Array.from({ length: 9 }, (_, at) => `operation ${at}`)
  expect([['getPod'], ['runJob'], ['runJob', ...names]].map(minRounds)).toEqual([8, 9, 12])
})
