import { describe, expect, it } from 'vitest'
import { composeOptions } from '../reference/options.ts'
import type { Style } from '../reference/style.ts'
import { hidesIndented, lists, proveOf, renamed } from './testing/small-catalog.ts'
import type { Latitude } from './types.ts'

describe('prove judges', () => {
  const styled = (id: string, style: Partial<Style>): Latitude => ({
    id,
    says: `${id}.`,
    change: (options) => composeOptions(options, { style }),
  })
  const [spaced, reversed] = [
    styled('spaced', { rateSpacing: 'wide' }),
    styled('reversed', { rateParameters: 'reversed' }),
  ]

  it.each<[string, readonly Latitude[], readonly string[], readonly string[]]>([
    ['of different options are judged together', [spaced, reversed], ['reference', 'spaced+reversed'], []],
    [
      'of the same option apart',
      [spaced, styled('tight', { rateSpacing: 'none' })],
      ['reference', 'spaced', 'tight'],
      [],
    ],
    [
      'of which one is judged otherwise are told apart',
      [{ ...renamed, verdicts: {} }, reversed],
      ['reference', 'list-is-renamed+reversed', 'list-is-renamed', 'reversed'],
      ['list-is-renamed'],
    ],
    [
      'of which one hides the fault of another are told apart',
      [renamed, { id: 'busy', says: 'It is busy.', wrap: () => async () => new Response('{}', { status: 500 }) }],
      ['reference', 'list-is-renamed+busy', 'busy'],
      ['busy'],
    ],
    [
      'that leave the same rule without a verdict are apart',
      [renamed, { ...renamed, id: 'renamed-too' }],
      ['reference', 'list-is-renamed', 'renamed-too'],
      [],
    ],
    [
      'that are judged otherwise only together are named together',
      [styled('indented', { json: 'indented' }), hidesIndented],
      ['reference', 'hides-indented+indented', 'indented', 'hides-indented'],
      ['hides-indented+indented'],
    ],
  ])('latitudes %s', async (_, latitudes, told, failed) => {
    const seen: string[] = []
    const result = await proveOf({
      catalog: { rules: [lists], defects: [], latitudes },
      onProgress: ({ what }) => seen.push(what),
    })
    expect(seen).toEqual(told)
    expect(result.latitudes.filter((one) => one.failed.length > 0).map(({ id }) => id)).toEqual(failed)
  })
})
