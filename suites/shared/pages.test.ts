import { expect, test } from 'vitest'
import { pageText } from './pages.ts'

const pageOf = (json: unknown, link: string | null = null) => pageText({ json, list: () => link }, 2)

test.each([
  [{ pods: [], nextCursor: 'c2' }, 'nextCursor'],
  [{ pods: [], has_more: true }, 'has_more'],
  [{ pods: [], meta: { total: 3 } }, 'total'],
  [{ pods: [], next: { href: '/v2/pods?page=2' } }, 'next'],
])('%j is one page of several', (json, member) => {
  expect(pageOf(json)).toContain(`as ${member} shows`)
})

test('a link to the next page shows that there are several', () => {
  expect(pageOf([], '</v2/pods?page=2>; rel="next"')).toContain('a link to the next one')
})

test.each([
  [[]],
  [{ pods: [], nextCursor: null, hasMore: false, total: 2 }],
  [{ pods: [], _links: { next: { href: null, rel: 'next' } } }],
])('%j is the whole list', (json) => {
  expect(pageOf(json, '</v2/pods>; rel="self"')).toBeNull()
})
