import { expect, test } from 'vitest'
import { ownerText } from './owner-names.ts'

test.each([
  ['pods.delete', 'pods.delete'],
  ['fixture:an EXITED GPU pod', 'making an EXITED GPU pod for several rules'],
  ['cleanup:pods.delete', 'removing what pods.delete created'],
  ['cleanup:fixture:an EXITED GPU pod', 'removing what a shared fixture created'],
  ['probe', 'probe'],
])('%s is shown as: %s', (owner, text) => {
  expect(ownerText(owner)).toBe(text)
})
