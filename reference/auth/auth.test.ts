import { expect, test } from 'vitest'
import { createBench, gpuBody } from '../testing/bench.ts'
import { defaultKeys } from './accounts.ts'

test.each([
  ['no header', null],
  ['an empty header', ''],
  ['another scheme', `Basic ${defaultKeys.full}`],
  ['a scheme alone', 'Bearer'],
  ['a scheme and a space', 'Bearer '],
  ['a token alone', defaultKeys.full],
  ['two tokens', `Bearer ${defaultKeys.full} ${defaultKeys.full}`],
  ['a token never issued', 'Bearer never-issued'],
  ['an expired token', `Bearer ${defaultKeys.expired}`],
])('%s is 401 with a challenge, without rate headers, before anything else', async (_name, authorization) => {
  const { call } = createBench()
  for (const [method, path] of [
    ['GET', '/v2/pods'],
    ['POST', '/v2/pods/unknown/action'],
    ['GET', '/nowhere'],
  ] as const) {
    const answer = await call(method, path, { authorization, ...(method === 'POST' ? { body: '{' } : {}) })
    expect(answer).toMatchObject({ status: 401, body: { title: 'Unauthorized', status: 401 } })
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect(answer.headers.has('ratelimit')).toBe(false)
    expect(answer.text).not.toContain(defaultKeys.full)
  }
})

test('the scheme is matched without regard to case', async () => {
  const { call } = createBench()
  expect(await call('GET', '/v2/pods', { authorization: `bEaReR  ${defaultKeys.full}` })).toMatchObject({ status: 200 })
})

test('a restricted key reads and does nothing else', async () => {
  const { act, call, create, get, patch } = createBench()
  const id = await create()
  const key = 'restricted'
  expect(await call('GET', '/v2/pods', { key })).toMatchObject({ status: 200 })
  expect(await get(id, { key })).toMatchObject({ status: 200, body: { id } })
  expect(await call('GET', '/v2/catalog/cpus', { key })).toMatchObject({ status: 200 })
  const refused = [
    await call('POST', '/v2/pods', { key, body: gpuBody }),
    await patch(id, { name: 'other' }, { key }),
    await call('DELETE', `/v2/pods/${id}`, { key }),
    await act(id, 'stop', { key }),
  ]
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403])
  expect(await get(id)).toMatchObject({ body: { name: 'trainer', status: 'PROVISIONING' } })
})

test.each([404, 403] as const)('the pod of another account is %s, and nothing happens to it', async (hidden) => {
  const { act, call, create, get, patch } = createBench({ style: { hidden } })
  const id = await create()
  const key = 'stranger'
  const refused = [
    await get(id, { key }),
    await patch(id, { name: 'other' }, { key }),
    await call('DELETE', `/v2/pods/${id}`, { key }),
    await act(id, 'stop', { key }),
  ]
  expect(refused.map(({ status }) => status)).toEqual([hidden, hidden, hidden, hidden])
  expect(await call('GET', '/v2/pods', { key })).toMatchObject({ body: { pods: [] } })
  expect(await get(id, { key: 'second' })).toMatchObject({ body: { name: 'trainer', status: 'PROVISIONING' } })
})
