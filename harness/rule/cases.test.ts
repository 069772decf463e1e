import { expect, test } from 'vitest'
import { createCases } from './cases.ts'
import { Blocked, ClauseViolated, Inconclusive } from './outcome.ts'

const broken = new ClauseViolated({ clause: 'answer', expected: 'a', observed: 'b', exchange: null })
const blocked = new Blocked('a RUNNING GPU pod', 'createPod answered 503')
const [first, second, third] = ['first', 'second', 'third'].map((reason) => new Inconclusive(reason))

/** If a rule went on after each case, how often it recovered, and what it threw. */
async function played(cases: readonly (Error | undefined)[]) {
  const { attempt, end } = createCases()
  const goesOn: boolean[] = []
  let recovered = 0
  const run = async () => {
    for (const error of cases) {
      const work = async () => {
        if (error !== undefined) throw error
      }
      goesOn.push(await attempt(work, async () => void recovered++))
    }
    end()
  }
  const thrown = await run().catch((error: unknown) => error)
  return [goesOn, recovered, thrown]
}

test.each([
  ['cases that have a verdict', [undefined, undefined], [[true, true], 0, undefined]],
  ['an inconclusive case', [undefined, first, undefined], [[true, true, true], 1, first]],
  ['too many of them', [first, second, third, undefined], [[true, true, false, false], 3, first]],
  ['a fault after one', [first, broken], [[true], 1, broken]],
  ['nothing to go on with after one', [first, blocked], [[true], 1, first]],
  ['nothing to begin with', [blocked], [[], 0, blocked]],
])('%s', async (_, cases, expected) => {
  expect(await played(cases)).toEqual(expected)
})
