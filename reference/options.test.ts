import { expect, test } from 'vitest'
import { composeOptions, createControlledClock, createReference, OptionError, type ReferenceOptions } from './index.ts'
import { createBench, gpuBody } from './testing/bench.ts'

const { clock } = createControlledClock(0)
const key = { token: 'a', state: 'valid', permissions: '*' } as const

test.each<[object, string]>([
  [{ style: { terminatedListed: true } }, 'Option style.terminatedListed: expected false where'],
  [{ style: { deleteBody: 'pod' } }, 'Option style.deleteBody: expected none where'],
  [{ style: { restartApplied: 'later', restartStatus: 'STARTING' } }, 'Option style.restartApplied: expected at-once'],
  [{ seed: 'a', ids: String }, 'Option seed: expected to be left out beside ids, got "a" (string)'],
  [{ accounts: [{ user: 'u', keys: [key, key] }] }, 'Option accounts (u): expected tokens that differ'],
  [{ dataCenters: [] }, 'Option dataCenters: expected at least one identifier, got [] (array)'],
  [{ volumes: [{ id: 'v', dataCenterId: 'x', size: 1 }] }, 'Option volumes (v): expected a data center of dc-1, dc-2'],
  [
    { gpuTypes: [{ id: 'g' }, { id: 'g' }] },
    'Option gpuTypes: expected identifiers that differ, got ["g","g"] (array)',
  ],
])('%o is refused', (options, message) => {
  const make = () => createReference({ clock, ...options } as ReferenceOptions)
  expect(make).toThrow(OptionError)
  expect(make).toThrow(message)
})

test('names and kinds of options are refused by the compiler', () => {
  const refused: Partial<ReferenceOptions>[] = [
    // @ts-expect-error
    { colour: 'red' },
    // @ts-expect-error
    { style: { createStatus: 203 } },
    // @ts-expect-error
    { style: { created: 201 } },
    // @ts-expect-error
    { style: { cancelledJob: 'kept' } },
    // @ts-expect-error
    { life: { stop: 1 } },
    // @ts-expect-error
    { seed: 7 },
    // @ts-expect-error
    { capacity: '1' },
    // @ts-expect-error
    { parts: { authorise: () => {} } },
    // @ts-expect-error
    { queue: { limiter: 'none' } },
    // @ts-expect-error
    { queue: { retries: 1 } },
    // @ts-expect-error
    { worker: {} },
  ]
  expect(refused).toHaveLength(11)
})

test('a part can be replaced by a wrapper of it, in one reference alone', async () => {
  const broken = createBench({
    parts: {
      permit: (original) => (pod, action, service) => (action === 'start' ? null : original(pod, action, service)),
    },
  })
  const sound = createBench()
  expect(await broken.act(await broken.running(), 'start')).toMatchObject({ status: 200 })
  expect(await sound.act(await sound.running(), 'start')).toMatchObject({ status: 409 })
})

test('changes compose: styles merge, wrappers of parts and of fetch go around each other', async () => {
  const marked = (mark: string): Partial<ReferenceOptions> => ({
    parts: {
      presentPod: (original) => (pod, service) => {
        const shown = original(pod, service)
        return { ...shown, name: `${shown.name}${mark}` }
      },
    },
    wrapFetch: (original) => async (request) => {
      const response = await original(request)
      response.headers.append('x-mark', mark)
      return response
    },
  })
  const options = composeOptions(
    { clock, style: { createStatus: 200 } },
    marked('1'),
    { style: { extraEnv: true }, life: { stopMs: 1 } },
    marked('2'),
  )
  const { clock: _, ...changes } = options
  const answer = await createBench(changes).call('POST', '/v2/pods', { body: gpuBody })
  expect(answer).toMatchObject({ status: 200, body: { name: 'trainer12', env: { POD_ID: expect.any(String) } } })
  expect(answer.headers.get('x-mark')).toBe('1, 2')
  expect(composeOptions({ clock }, {}, { style: { json: 'indented' } }).style).toEqual({ json: 'indented' })
})

test('references share nothing, and the same seed gives the same identifiers', async () => {
  const [a, b, c] = [createBench(), createBench(), createBench({ seed: 'other' })]
  const id = await a.create()
  expect(await b.get(id)).toMatchObject({ status: 404 })
  expect(await b.create()).toBe(id)
  expect(await c.create()).not.toBe(id)
  expect(await createBench({ ids: (n) => `p${n}` }).create()).toBe('p0')
})

test('what is no refusal is a fault and is thrown', async () => {
  const fault = () => {
    throw new RangeError('a fault')
  }
  await expect(createBench({ parts: { findPod: () => fault } }).get('a')).rejects.toThrow('a fault')
})
