import { expect, it } from 'vitest'
import type { Exchange } from '../../harness/exchange/exchange.ts'
import { exchangeWith } from '../../harness/testing/exchange.ts'
import { nameOf } from './change.ts'
import { casesOf, createPlaces } from './enumerate.ts'

it('names every place of every JSON answer once, and null only where something else was seen', () => {
  const places = createPlaces()
  places.take(answer(200, '{"pods":[{"id":"a","template":null},{"id":"b","template":null}]}'), 'first')
  places.take(answer(200, '{"pods":[]}'), 'second')
  places.take(answer(204, ''), 'second')
  places.take(answer(200, 'no JSON'), 'third')
  expect(places.all().map(({ path, seenBy }) => [path, [...seenBy]])).toEqual([
    [[], ['first', 'second']],
    [['pods'], ['first', 'second']],
    [['pods', null], ['first']],
    [['pods', null, 'id'], ['first']],
    [['pods', null, 'template'], ['first']],
  ])
  expect(places.all().flatMap((place) => casesOf(place).map(nameOf))).toEqual([
    'listPods 200 $ dropped',
    'listPods 200 $ retyped',
    'listPods 200 $ null',
    'listPods 200 $ without text',
    'listPods 200 pods dropped',
    'listPods 200 pods retyped',
    'listPods 200 pods null',
    'listPods 200 pods without text',
    'listPods 200 pods[] dropped',
    'listPods 200 pods[] retyped',
    'listPods 200 pods[] null',
    'listPods 200 pods[] without text',
    'listPods 200 pods[].id dropped',
    'listPods 200 pods[].id retyped',
    'listPods 200 pods[].id null',
    'listPods 200 pods[].id without text',
    'listPods 200 pods[].template dropped',
    'listPods 200 pods[].template retyped',
    'listPods 200 pods[].template without text',
  ])
})

function answer(status: number, body: string): Exchange {
  return exchangeWith({
    operation: 'listPods',
    request: { url: 'https://reference.test/v2/pods' },
    response: { status, body },
  })
}
