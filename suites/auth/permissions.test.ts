import { expect, test } from 'vitest'
import { isAction, permissionsOf } from './permissions.ts'

test.each([
  { names: ['listPods', 'getPod'], permissions: ['listPods', 'getPod'] },
  { names: ['triggerPodAction'], permissions: ['start', 'stop', 'restart', 'terminate'] },
  { names: ['stop', 'triggerPodAction'], permissions: ['stop', 'start', 'restart', 'terminate'] },
  { names: ['management', 'lb', 'createEndpoint', 'stop'], permissions: ['stop'] },
  { names: [], permissions: [] },
])('$names are the permissions $permissions', ({ names, permissions }) => {
  expect(permissionsOf(names)).toEqual(permissions)
})

test('an operation is no action', () => {
  expect(isAction('deletePod')).toBe(false)
  expect(isAction('terminate')).toBe(true)
})
