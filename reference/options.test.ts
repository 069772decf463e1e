import { expect, test } from 'vitest'
import { composeOptions, createControlledClock, createReference, OptionError, type ReferenceOptions } from './index.ts'
import { createBench, gpuBody } from './testing/bench.ts'

const { clock } = createControlledClock(0)
const key = { token: 'a', state: 'valid', permissions: '*' } as const

test.each<[object, string]>([
  [{ clock: null }, 'Option clock: expected a clock with now and schedule, got null (null)'],
  [{ colour: 'red' }, 'Option colour: expected no such option, but one of clock, tables'],
  [{ style: { createStatus: 203 } }, 'Option style.createStatus: expected one of 201, 200, 202, got 203 (number)'],
  [{ style: { created: 201 } }, 'Option style.created: expected no such option'],
  [{ style: { terminatedListed: true } }, 'Option style.terminatedListed: expected false where'],
  [{ style: { deleteBody: 'pod' } }, 'Option style.deleteBody: expected none where'],
  [{ style: { restartApplied: 'later', restartStatus: 'STARTING' } }, 'Option style.restartApplied: expected at-once'],
  [{ life: { stopMs: -1 } }, 'Option life.stopMs: expected an integer from 0, milliseconds, got -1 (number)'],
  [{ life: { errorImage: '' } }, 'Option life.errorImage: expected a text that is not empty, got "" (string)'],
  [{ life: { stop: 1 } }, 'Option life.stop: expected no such option'],
  [{ quotas: { minute: 1.5 } }, 'Option quotas.minute: expected an integer from 0, requests, got 1.5 (number)'],
  [{ quotas: { week: 1 } }, 'Option quotas.week: expected no such option, but one of minute, hour, day'],
  [{ seed: 7 }, 'Option seed: expected a string, got 7 (number)'],
  [{ seed: 'a', ids: String }, 'Option seed: expected to be left out beside ids, got "a" (string)'],
  [{ capacity: '1' }, 'Option capacity: expected null or an integer from 0, got "1" (string)'],
  [{ accounts: [] }, 'Option accounts: expected at least one account, got [] (array)'],
  [{ accounts: [{ user: 'u', keys: [key, key] }] }, 'Option accounts (u): expected tokens that differ'],
  [
    { accounts: [{ user: 'u', keys: [{ ...key, token: 'a b' }] }] },
    'Option accounts (u): expected tokens without spaces',
  ],
  [{ dataCenters: [] }, 'Option dataCenters: expected at least one identifier, got [] (array)'],
  [{ volumes: [{ id: 'v', dataCenterId: 'x', size: 1 }] }, 'Option volumes (v): expected a data center of dc-1, dc-2'],
  [
    { gpuTypes: [{ id: 'g' }, { id: 'g' }] },
    'Option gpuTypes: expected identifiers that differ, got ["g","g"] (array)',
  ],
  [{ parts: { authorise: () => {} } }, 'Option parts.authorise: expected no such option, but one of authenticate'],
])('%o is refused', (options, message) => {
  const make = () => createReference({ clock, ...options } as ReferenceOptions)
  expect(make).toThrow(OptionError)
  expect(make).toThrow(message)
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
