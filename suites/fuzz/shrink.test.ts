import { expect, test } from 'vitest'
import { pinDown } from './shrink.ts'

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at)
const holds = (...needed: readonly number[]) => {
  return (cases: readonly number[]) => needed.every((each) => cases.includes(each))
}
const inOrder = (first: number, then: number) => (cases: readonly number[]) =>
  cases.includes(first) && cases.indexOf(first) < cases.lastIndexOf(then)

test.each<[what: string, count: number, shows: (cases: readonly number[]) => boolean, found: readonly number[] | null]>(
  [
    ['no case at all', 0, () => true, null],
    ['one that is not seen again', 1, () => false, null],
    ['many that are not seen again', 64, () => false, null],
    ['the only case', 1, holds(0), [0]],
    ['the first', 64, holds(0), [0]],
    ['one in the middle', 64, holds(41), [41]],
    ['the last', 64, holds(63), [63]],
    ['any of several', 64, (cases) => cases.some((each) => each >= 40), [40]],
    ['two in their order', 64, inOrder(17, 50), [17, 50]],
    ['two that are neighbours', 2, inOrder(0, 1), [0, 1]],
    ['three', 100, holds(3, 30, 99), [3, 30, 99]],
    ['any three', 100, (cases) => cases.length >= 3, [0, 1, 2]],
    ['more than are taken apart, with all before them', 9, holds(1, 2, 4, 7), [0, 1, 2, 4, 7]],
  ],
)('%s', async (_, count, shows, found) => {
  let tries = 0
  const pinned = await pinDown(upTo(count), async (cases) => {
    tries++
    return shows(cases) ? cases.length : null
  })
  expect(pinned?.cases ?? null).toEqual(found)
  expect(tries).toBeLessThanOrEqual(3 * (2 + Math.ceil(Math.log2(count + 1))))
})
