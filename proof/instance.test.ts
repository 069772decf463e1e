import { describe, expect, it } from 'vitest'
import { composeOptions } from '../reference/options.ts'
import { createInstance } from './instance.ts'
import type { Fetch, Variant } from './types.ts'

const list = () => new Request('https://reference.test/v2/pods')

describe('createInstance', () => {
  it('applies changes in their order and wrappers from inside out', async () => {
    const { fetch } = createInstance([
      { ...variant('first'), change: challenge(false), wrap: adding('first') },
      { ...variant('second'), change: challenge(true), wrap: adding('second') },
    ])
    const { headers } = await fetch(list())
    expect(headers.get('www-authenticate')).toBe('Bearer')
    expect(headers.get('order')).toBe('first, second')
  })

  it('makes wrappers anew, so that two instances share no state', async () => {
    const counting: Variant = {
      ...variant('counting'),
      wrap: (fetch) => {
        let count = 0
        return async (request) => add(await fetch(request), 'count', String(++count))
      },
    }
    const [one, other] = [createInstance([counting]), createInstance([counting])]
    await one.fetch(list())
    expect((await other.fetch(list())).headers.get('count')).toBe('1')
  })

  it('has a clock and a target file of its own', async () => {
    const [one, other] = [
      createInstance(),
      createInstance([{ ...variant('file'), file: (file) => ({ ...file, name: 'x' }) }]),
    ]
    await one.control.advance(5_000)
    const [{ nowMs }, before] = [await one.control.state(), await other.control.state()]
    expect(nowMs - before.nowMs).toBe(5_000)
    expect(other.target.name).toBe('x')
    expect(one.target).toEqual({ ...other.target, name: one.target.name })
  })
})

function variant(id: string): Variant {
  return { id, says: `${id}.` }
}

function challenge(wwwAuthenticate: boolean): NonNullable<Variant['change']> {
  return (options) => composeOptions(options, { style: { wwwAuthenticate } })
}

function adding(value: string): (fetch: Fetch) => Fetch {
  return (fetch) => async (request) => add(await fetch(request), 'order', value)
}

function add(response: Response, name: string, value: string): Response {
  response.headers.append(name, value)
  return response
}
