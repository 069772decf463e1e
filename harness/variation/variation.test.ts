import { describe, expect, test } from 'vitest'
import type { RuleId } from '../../generated/rules.ts'
import { createInstance } from '../../proof/instance.ts'
import { assignValues, type Deal } from './deal.ts'
import { type Dimension, dimensions } from './dimensions.ts'
import { createVariation } from './variation.ts'

const { target } = createInstance()
const ids = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((name) => [`pods.action.${name}`, `pods.patch.${name}`])
const rules = (varies: readonly Dimension[]) => ids.map((id) => ({ id: id as RuleId, varies }))

function drawnBy(seed: number, topic: string): Set<string> {
  const deal = assignValues(rules(['history']), seed)
  const values = rules(['history'])
    .filter(({ id }) => id.startsWith(topic))
    .map((rule) => createVariation(rule, target, deal).draw('history'))
  return new Set(values)
}

describe('a deal', () => {
  test.each([1, 2, 3, 4, 5])('covers every value in a topic that has as many rules, with seed %i', (seed) => {
    expect(drawnBy(seed, 'pods.action')).toEqual(new Set(dimensions.history))
    expect(drawnBy(seed, 'pods.patch')).toEqual(new Set(dimensions.history))
  })

  test('gives a rule every value by as many seeds', () => {
    for (const id of ids) {
      const drawn = [1, 2, 3, 4, 5, 6].map((seed) => {
        const rule = { id: id as RuleId, varies: ['history'] as const }
        return createVariation(rule, target, assignValues(rules(['history']), seed)).draw('history')
      })
      expect(new Set(drawn)).toEqual(new Set(dimensions.history))
    }
  })

  test('gives other pairs of two dimensions by more seeds', () => {
    const varies = ['kind', 'history'] as const
    const rule = { id: 'pods.action.a' as RuleId, varies }
    const pairs = Array.from({ length: 36 }, (_, seed) => {
      const vary = createVariation(rule, target, assignValues(rules(varies), seed + 1))
      return `${vary.draw('kind')} ${vary.draw('history')}`
    })
    expect(new Set(pairs).size).toBe(12)
  })

  test('is another one with another seed', () => {
    const draws = [1, 2, 3, 4].map((seed) => {
      const deal = assignValues(rules(['history']), seed)
      return rules(['history'])
        .map((rule) => createVariation(rule, target, deal).draw('history'))
        .join()
    })
    expect(new Set(draws).size).toBe(4)
  })
})

describe('a variation', () => {
  const rule = { id: 'pods.action.a' as RuleId, varies: ['mount', 'kind'] as const }

  test('draws the values of a dimension in turn', () => {
    const vary = createVariation(rule, target, () => 1)
    expect([1, 2, 3, 4].map(() => vary.draw('mount'))).toEqual(['network', 'persistent', 'none', 'network'])
    expect(vary.drawn()).toEqual({ mount: ['network', 'persistent', 'none', 'network'] })
  })

  test('draws the plain value of a dimension that the rule does not name, and notes nothing', () => {
    const vary = createVariation(rule, target, () => 1)
    expect(vary.draw('history')).toBe('fresh')
    expect(vary.drawn()).toEqual({})
  })

  test('of a sparing run draws a value of a costly dimension for the first pod of a rule', () => {
    const vary = createVariation({ ...rule, varies: ['history'] }, target, () => 3, { isSparing: true })
    expect([1, 2].map(() => vary.draw('history'))).toEqual(['restarted', 'fresh'])
  })

  const second: Deal = () => 1

  test.each([
    { what: 'all of a run', from: second, left: [0, 1] },
    { what: 'one of a sparing run', from: second, isSparing: true, left: [1] },
    { what: 'the given one', from: { branch: 'cpu network' }, left: [1] },
    { what: 'all if none is given', from: {}, left: [0, 1] },
    {
      what: 'all of a rule that does not vary them',
      varies: ['kind'] as const,
      from: second,
      isSparing: true,
      left: [0, 1],
    },
  ])('has $what among branches', ({ varies = ['branch'], from, isSparing, left }) => {
    const branches = [{}, { kind: 'cpu', mount: 'network' }]
    const vary = createVariation({ ...rule, varies }, target, from, { isSparing })
    expect(vary.branches(branches)).toEqual(left.map((place) => branches[place]))
  })

  test('draws given values each time, and plain ones of every other dimension', () => {
    const vary = createVariation(rule, target, { mount: 'network' })
    expect([vary.draw('mount'), vary.draw('mount'), vary.draw('kind')]).toEqual(['network', 'network', 'gpu'])
    expect(vary.draw('mount', (value) => value !== 'network')).toBe('persistent')
  })

  test('draws members of a class, each by one of as many seeds, whatever else was drawn', () => {
    const sampling = { id: 'pods.action.a' as RuleId, varies: ['sample'] as const }
    const seeds = [1, 2, 3, 4, 5]
    const drawn = seeds.map((seed) => {
      const vary = createVariation(sampling, target, assignValues([sampling], seed))
      if (seed % 2 === 0) vary.sample('another', ['x', 'y'], String)
      return [1, 2].map(() => vary.sample('letters', [...'abcde'], String))
    })
    for (const place of [0, 1]) expect(new Set(drawn.map((letters) => letters[place])).size).toBe(5)
  })

  test('draws a given member of a class, and the first one of a class without it', () => {
    const vary = createVariation({ ...rule, varies: ['sample'] }, target, { sample: 'b' })
    expect(vary.sample('letters', ['a', 'b'], String)).toBe('b')
    expect(vary.sample('others', ['x', 'y'], String)).toBe('x')
    expect(vary.drawn()).toEqual({ sample: ['letters: b', 'others: x'] })
    expect(createVariation(rule, target, () => 1).sample('letters', ['a', 'b'], String)).toBe('a')
  })

  test('leaves out what the target does not offer and what does not suit', () => {
    const pods = target.pods === null ? null : { ...target.pods, volume: null }
    const vary = createVariation(rule, { ...target, pods }, () => 1)
    expect([1, 2].map(() => vary.draw('mount'))).toEqual(['persistent', 'none'])
    expect(vary.draw('mount', (value) => value !== 'persistent')).toBe('none')
  })

  test('notes the plain value if the one drawn did not come about', () => {
    const vary = createVariation(rule, target, () => 1)
    vary.draw('mount')
    vary.fellBack('mount')
    expect(vary.drawn()).toEqual({ mount: ['none'] })
  })
})
