import { describe, expect, it } from 'vitest'
import { type ChangeKind, changeAt, type MalformedCase, malformedVariant, nameOf, type Step } from './change.ts'

const pod = { id: 'a', disk: 20, locked: true, template: null, mounts: { network: [{ path: '/x' }, { path: '/y' }] } }

describe('changeAt', () => {
  it.each<[readonly Step[], ChangeKind, unknown]>([
    [['id'], 'dropped', { ...without('id') }],
    [['id'], 'null', { ...pod, id: null }],
    [['id'], 'retyped', { ...pod, id: 17 }],
    [['disk'], 'retyped', { ...pod, disk: '20' }],
    [['locked'], 'retyped', { ...pod, locked: 'true' }],
    [['template'], 'retyped', { ...pod, template: 17 }],
    [['mounts'], 'retyped', { ...pod, mounts: [] }],
    [['mounts', 'network'], 'retyped', { ...pod, mounts: { network: {} } }],
    [['mounts', 'network', null], 'dropped', { ...pod, mounts: { network: [] } }],
    [['mounts', 'network', null, 'path'], 'null', { ...pod, mounts: { network: [{ path: null }, { path: null }] } }],
    [['mounts', 'network', null, 'path'], 'dropped', { ...pod, mounts: { network: [{}, {}] } }],
    [[], 'dropped', undefined],
    [[], 'null', null],
    [[], 'retyped', []],
    [['colour', null, 'name'], 'null', pod],
  ])('%j %s', (path, change, expected) => {
    expect(changeAt(pod, path, change)).toEqual(expected)
  })
})

describe('malformedVariant', () => {
  const malformed: MalformedCase = {
    operation: 'getPod',
    status: 200,
    path: ['mounts', 'network', null, 'path'],
    change: 'dropped',
  }

  it.each([
    ['GET', '/v2/pods/a', 200, { ...pod, mounts: { network: [{}, {}] } }],
    ['PATCH', '/v2/pods/a', 200, pod],
    ['GET', '/v2/pods', 200, pod],
    ['GET', '/v2/pods/a', 404, pod],
  ])('changes only its own responses: %s %s %i', async (method, path, status, expected) => {
    const headers = { 'content-type': 'application/json', ratelimit: '"minute";r=1;t=1' }
    const wrapped = malformedVariant(malformed).wrap?.(
      async () => new Response(JSON.stringify(pod), { status, headers }),
    )
    const answer = await wrapped?.(new Request(`https://reference.test${path}`, { method }))
    expect(answer?.status).toBe(status)
    expect(Object.fromEntries(answer?.headers ?? [])).toEqual(headers)
    expect(await answer?.json()).toEqual(expected)
  })

  it('is named after what it changes', () => {
    expect(nameOf(malformed)).toBe('getPod 200 mounts.network[].path dropped')
    expect(nameOf({ ...malformed, path: [], change: 'null' })).toBe('getPod 200 $ null')
  })
})

function without(name: keyof typeof pod): object {
  const { [name]: _, ...others } = pod
  return others
}
