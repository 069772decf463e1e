import { expect, test } from 'vitest'
import { routeOf } from './caller.ts'

test.each([
  ['/v2/{endpoint}/status/{job}', 'GET', '/v2/{endpoint}/status/{job}'],
  ['POST /v2/{endpoint}/status/{job}', 'POST', '/v2/{endpoint}/status/{job}'],
])('%s is %s of %s for an operation that is usually GET', (template, method, path) => {
  expect(routeOf(template, 'GET')).toEqual({ method, path })
})
