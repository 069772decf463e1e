import { expect, test } from 'vitest'
import { withoutId } from '../../../harness/run/removal.ts'

test.each([
  ['p', 'DELETE https://api.test/v2/pods/p: no response', 'DELETE https://api.test/v2/pods/{id}: no response'],
  ['pods', 'GET /v2/pods/pods/x', 'GET /v2/{id}/{id}/x'],
  ['a/b', 'POST /a%2Fb?x=1', 'POST /{id}?x=1'],
  ['a.c', 'GET /abc/a.cd', 'GET /abc/a.cd'],
])('the id %s is replaced where it is a part of a path: %s', (id, reason, said) => {
  expect(withoutId(reason, id, '{id}')).toBe(said)
})
