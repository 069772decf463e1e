import { expect, it } from 'vitest'
import { noListText } from './read.ts'

it.each([
  [503, 'pods', 'the list of pods was answered 503'],
  [200, '', 'the list of pods was answered 200 and is no array; pods.listAt names the member in the target file'],
  [
    200,
    'data',
    'the list of pods was answered 200 and has no array in the member data; pods.listAt names the member in the target file',
  ],
])('tells why a response %i has no list at "%s"', (status, at, text) => {
  expect(noListText('the list of pods', status, at, 'pods.listAt')).toBe(text)
})
