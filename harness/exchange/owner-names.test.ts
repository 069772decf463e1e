import { expect, test } from 'vitest'
import { ownerText } from './owner-names.ts'

test.each([
  ['pods.delete', 'pods.delete'],
  ['fixture:an EXITED GPU pod', 'making an EXITED GPU pod for several rules'],
  ['cleanup:pods.delete', 'removing what pods.delete created'],
  ['cleanup:fixture:an EXITED GPU pod', 'removing what a shared fixture created'],
  ['cleanup', 'removing what the run created'],
  ['sweep', 'removing what is left of the run'],
  ['probe', 'looking at the target before the rules begin'],
  ['pacing:3', 'asking how much of a quota is left'],
  ['connection:pods.delete:2', 'trying the connection that pods.delete used'],
  ['connection:fixture:an EXITED GPU pod:2', 'trying the connection that a shared fixture used'],
  ['key:1', 'asking whether the key is still accepted'],
  ['traffic', 'traffic'],
])('%s is shown as: %s', (owner, text) => {
  expect(ownerText(owner)).toBe(text)
})
