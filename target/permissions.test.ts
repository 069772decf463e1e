import { expect, test } from 'vitest'
import { permissionsOn } from './permissions.ts'

test.each([
  { names: ['cancelJob', 'stop', 'management'], permissions: ['cancelJob'] },
  { names: ['runJob', 'queue'], permissions: 10 },
  { names: ['listEndpoints', 'lb'], permissions: [] },
])('of $names, on queue-based endpoints: $permissions', ({ names, permissions }) => {
  const own = permissionsOn('queue', names)
  expect(Array.isArray(permissions) ? own : own.length).toEqual(permissions)
})
