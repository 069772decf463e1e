import { expect, test } from 'vitest'
import { createInstance } from '../../proof/instance.ts'
import type { Variant } from '../../proof/types.ts'
import { defaultKeys } from '../../reference/index.ts'
import { UsageError } from '../shared/errors.ts'
import { findVariants, selectVariants, variantData, variantLines } from './variants.ts'

const teapot: Variant = {
  id: 'teapot',
  says: 'Everything is a teapot.',
  wrap: (inner) => async (request) => new Response(null, { status: 418, headers: (await inner(request)).headers }),
}
const louder: Variant = {
  id: 'louder',
  says: 'One more.',
  wrap: (inner) => async (request) => new Response(null, { status: (await inner(request)).status + 1 }),
}
const accepted: Variant = {
  id: 'accepted',
  says: 'A creation is 202.',
  change: (options) => ({ ...options, style: { ...options.style, createStatus: 202 } }),
}

test('changes are laid over each other, wrappers from inside out', async () => {
  expect(await statusWith([])).toBe(201)
  expect(await statusWith([accepted])).toBe(202)
  expect(await statusWith([accepted, louder])).toBe(203)
  expect(await statusWith([teapot, louder])).toBe(419)
  expect(await statusWith([louder, teapot])).toBe(418)
})

test('variants are found in the given order', () => {
  expect(findVariants('--defect', ['louder', 'teapot'], [teapot, louder])).toEqual([louder, teapot])
})

const named = ['run-answers-202', 'run-answers-late', 'run-id-number', 'endpoints-empty', 'status-answers-500']

test.each([
  ['run-answers-20', '; did you mean run-answers-202?'],
  ['answers-run-twice', '; similar: run-answers-late, run-answers-202; plumbline serve --list lists all'],
  ['WRONG', '; plumbline serve --list lists all'],
])('the unknown name %s is refused with those that are near', (name, hint) => {
  const all = named.map((id) => ({ ...teapot, id }))
  expect(() => findVariants('--defect', [name], all)).toThrow(new UsageError(`--defect: unknown name ${name}${hint}`))
})

test('defects and latitudes are listed with their sentences', () => {
  const defect = { id: 'a', says: 'It breaks.', rule: 'pods.patch.null', clause: 'unchanged' } as const
  const ofLoad = { id: 'b', says: 'It is slow.', rule: 'limits.queue.run' } as const
  const listed = { defects: [defect, ofLoad], latitudes: [accepted] }
  expect(variantLines(listed)).toEqual([
    '2 defects, for --defect:',
    '  a: It breaks. (pods.patch.null)',
    '  b: It is slow. (limits.queue.run)',
    '1 latitude, for --latitude:',
    '  accepted: A creation is 202.',
  ])
  expect(variantData(listed)).toEqual({
    defects: [defect, { ...ofLoad, clause: null }],
    latitudes: [{ id: 'accepted', says: 'A creation is 202.', planes: null }],
  })
})

test.each([
  [['pods.patch.null'], ['a'], []],
  [['pods'], ['a'], []],
  [['limits.*', 'accepted'], ['b'], ['accepted']],
  [['queue'], [], []],
  [[], ['a', 'b'], ['accepted']],
])('--only %j lists what it matches', (only, defects, latitudes) => {
  const all = [
    { id: 'a', says: 'It breaks.', rule: 'pods.patch.null', clause: 'unchanged' },
    { id: 'b', says: 'It is slow.', rule: 'limits.queue.run' },
  ] as const
  const ids = (listed: readonly { readonly id: string }[]) => listed.map(({ id }) => id)
  const chosen = selectVariants(only, all, [accepted])
  expect([ids(chosen.defects), ids(chosen.latitudes)]).toEqual([defects, latitudes])
})

test('a pattern of --only that matches nothing is refused with what is near', () => {
  const message = '--only: no rule, defect or latitude matches pots; did you mean pods?'
  expect(() => selectVariants(['pots'], [], [])).toThrow(new UsageError(message))
})

async function statusWith(variants: readonly Variant[]): Promise<number> {
  const { fetch } = createInstance(variants)
  const { status } = await fetch(
    new Request('https://reference.test/v2/pods', {
      method: 'POST',
      headers: { authorization: `Bearer ${defaultKeys.full}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'a', image: 'x', cpu: { id: 'cpu3c', vcpuCount: 2 } }),
    }),
  )
  return status
}
