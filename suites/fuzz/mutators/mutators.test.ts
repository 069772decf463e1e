import { describe, expect, test } from 'vitest'
import { type Place, pathText, placesIn, schemaNamed } from '../schema.ts'
import { mutators } from './index.ts'

const action = { action: 'stop' }
const persistent = { mounts: { persistent: { size: 10, path: '/w' } } }
const network = { mounts: { network: [{ volumeId: 'v', path: '/w' }] } }

describe('each mutator', () => {
  test.each<[name: string, body: object, at: string, expected: string | null]>([
    ['missing', action, '$.action', '{}'],
    ['missing', network, '$.mounts', null],
    ['missing', network, '$.mounts.network[0].path', '{"mounts":{"network":[{"volumeId":"v"}]}}'],
    ['other-name', action, '$.action', '{"Action":"stop"}'],
    ['extra', action, '$', '{"action":"stop","plumbline":true}'],
    [
      'extra-first',
      persistent,
      '$.mounts.persistent',
      '{"mounts":{"persistent":{"plumbline":true,"size":10,"path":"/w"}}}',
    ],
    ['extra-proto', action, '$', '{"action":"stop","__proto__":{}}'],
    ['extra', action, '$.action', null],
    ['null', action, '$.action', '{"action":null}'],
    ['as-number', persistent, '$.mounts.persistent.size', null],
    ['as-text', persistent, '$.mounts.persistent.size', '{"mounts":{"persistent":{"size":"10","path":"/w"}}}'],
    ['as-list', action, '$', '[{"action":"stop"}]'],
    ['below-minimum', persistent, '$.mounts.persistent.size', '{"mounts":{"persistent":{"size":9,"path":"/w"}}}'],
    ['fraction', persistent, '$.mounts.persistent.size', '{"mounts":{"persistent":{"size":10.5,"path":"/w"}}}'],
    ['above-maximum', persistent, '$.mounts.persistent.size', null],
    ['other-case', action, '$.action', '{"action":"STOP"}'],
    ['other-case', persistent, '$.mounts.persistent.path', null],
    ['look-alike', action, '$.action', '{"action":"ｓｔｏｐ"}'],
    ['another', network, '$.mounts.network[0].volumeId', '{"mounts":{"network":[{"volumeId":"v-b","path":"/w"}]}}'],
    ['emptied', network, '$.mounts.network', '{"mounts":{"network":[]}}'],
    [
      'one-more',
      network,
      '$.mounts.network',
      '{"mounts":{"network":[{"volumeId":"v","path":"/w"},{"volumeId":"v","path":"/w"}]}}',
    ],
    ['truncated', action, '$', '{"action":"stop"'],
    ['truncated', action, '$.action', null],
    ['two-documents', action, '$', '{"action":"stop"}{"action":"stop"}'],
    ['trailing-comma', action, '$', '{"action":"stop",}'],
    ['trailing-comma', network, '$.mounts.network', '{"mounts":{"network":[{"volumeId":"v","path":"/w"},]}}'],
    ['single-quotes', action, '$', "{'action':'stop'}"],
    ['bom', action, '$', '\uFEFF{"action":"stop"}'],
    ['surrogate-name', action, '$', '{"action":"stop","\\ud800":true}'],
    ['lone-surrogate', action, '$.action', '{"action":"stop\\udc00"}'],
    ['escaped', action, '$.action', '{"action":"\\u0073top"}'],
    ['bare-word', action, '$.action', '{"action":stop}'],
    ['leading-zero', persistent, '$.mounts.persistent.size', '{"mounts":{"persistent":{"size":010,"path":"/w"}}}'],
    ['float-form', persistent, '$.mounts.persistent.size', '{"mounts":{"persistent":{"size":10.0,"path":"/w"}}}'],
    ['twice-null-first', action, '$.action', '{"action":null,"action":"stop"}'],
    ['bare-name', action, '$.action', '{action:"stop"}'],
    ['empty', action, '$', ''],
  ])('%s of %j at %s', (name, body, at, expected) => {
    expect(write(name, body, at)).toBe(expected)
  })

  test('bytes that are no UTF-8 stand within their text', () => {
    const mutator = mutators.find((each) => each.name === 'not-utf8')
    const place = placeAt(action, '$.action')
    expect(Buffer.from(mutator?.write(action, place) ?? []).toString('latin1')).toBe('{"action":"stop\u00ff"}')
  })

  test('white space around every part changes nothing about the value', () => {
    expect(JSON.parse(write('spaced', network, '$') ?? '')).toEqual(network)
  })

  test('has a name of its own, and a sentence', () => {
    expect(new Set(mutators.map(({ name }) => name)).size).toBe(mutators.length)
    expect(mutators.filter(({ says }) => says === '')).toEqual([])
  })
})

test('every mutator changes something, somewhere', () => {
  const bodies = [
    [action, 'PodActionRequest'],
    [persistent, 'PodUpdate'],
    [network, 'PodUpdate'],
    [{ input: {}, webhook: 'https://a.test', policy: { ttl: 10_000 } }, 'JobSubmission'],
  ] as const
  const used = bodies.flatMap(([body, schema]) =>
    placesIn(body, schemaNamed(schema)).flatMap((place) =>
      mutators.filter((mutator) => writes(mutator.name, body, place) !== null).map(({ name }) => name),
    ),
  )
  expect(mutators.map(({ name }) => name).filter((name) => !used.includes(name))).toEqual([])
})

function write(name: string, body: object, at: string): string | null {
  return writes(name, body, placeAt(body, at))
}

function writes(name: string, body: object, place: Place): string | null {
  const written = mutators.find((each) => each.name === name)?.write(body, place) ?? null
  return written === null ? null : Buffer.from(written).toString()
}

function placeAt(body: object, at: string): Place {
  const name = 'action' in body ? 'PodActionRequest' : 'PodUpdate'
  const place = placesIn(body, schemaNamed(name)).find(({ path }) => pathText(path) === at)
  if (place === undefined) throw new Error(`there is no ${at}`)
  return place
}
