import { expect, test } from 'vitest'
import { podActions, podStatuses, tables } from '../../generated/tables.ts'
import type { PodView } from '../../harness/exchange/read.ts'
import {
  addPod,
  forbidden,
  type PodModel,
  patch,
  permissionOf,
  settle,
  startModel,
  take,
  unexplainedIn,
} from './model.ts'

function podIn(status: (typeof podStatuses)[number] = 'RUNNING', more: object = {}): PodModel {
  const pod = addPod(startModel(10), seenIn('RUNNING'), {}, { PLUMBLINE: 'kept' })
  patch(pod, { ...more })
  return Object.assign(pod, { statuses: [status] })
}

function seenIn(status: string, more: object = {}): PodView {
  const actions = status in tables.actions ? tables.actions[status as 'RUNNING'] : []
  const value = {
    id: 'pod-1',
    name: 'pod',
    status,
    actions,
    env: { PLUMBLINE: 'kept' },
    mounts: {},
    ports: ['80/http'],
    locked: false,
    ...more,
  }
  return { id: 'pod-1', status, value, exchange: 0 }
}

test.each(podStatuses.filter((status) => status !== 'TERMINATED'))('%s permits the actions of the table', (status) => {
  for (const action of podActions) {
    const mayBeTaken = tables.actions[status].includes(action)
    expect(permissionOf(podIn(status), action)).toEqual({ mayBeTaken, mayBeRefused: !mayBeTaken })
  }
})

test('of a locked pod a stop must be refused, and a restart and the end may be', () => {
  const pod = podIn('RUNNING', { locked: true })
  expect(forbidden(pod)).toEqual(['start', 'stop'])
  expect(permissionOf(pod, 'restart')).toEqual({ mayBeTaken: true, mayBeRefused: true })
  expect(permissionOf(pod, 'terminate')).toEqual({ mayBeTaken: true, mayBeRefused: true })
})

test('after a start a pod may be seen in each status on the way, and once it has settled in the last one only', () => {
  const pod = podIn('EXITED')
  take(pod, 'start')
  expect(pod).toMatchObject({ statuses: ['EXITED', 'PROVISIONING', 'STARTING', 'RUNNING'], rest: 'RUNNING' })
  expect(permissionOf(pod, 'stop')).toEqual({ mayBeTaken: true, mayBeRefused: true })
  for (const { status } of pod.statuses.map((each) => seenIn(each)))
    expect(unexplainedIn(pod, status, seenIn(status))).toBe(null)
  settle(pod, seenIn('RUNNING'))
  expect(unexplainedIn(pod, 'STARTING', seenIn('STARTING'))).toMatchObject({ observed: 'status STARTING' })
})

test('a terminated pod is gone or TERMINATED, and nothing else', () => {
  const pod = podIn()
  take(pod, 'terminate')
  settle(pod, null)
  expect(unexplainedIn(pod, 'gone', null)).toBe(null)
  expect(unexplainedIn(pod, 'TERMINATED', seenIn('TERMINATED', { name: '' }))).toBe(null)
  expect(unexplainedIn(pod, 'EXITED', seenIn('EXITED'))).toMatchObject({ clause: 'status', observed: 'status EXITED' })
})

test.each([
  [{ name: 'pod-b' }, { clause: 'kept', expected: 'name "A"', observed: 'name "A-b"' }],
  [{ locked: true }, { clause: 'kept', expected: 'locked false', observed: 'locked true' }],
  [{ ports: ['81/http'] }, { clause: 'kept', expected: 'ports ["80/http"]', observed: 'ports ["81/http"]' }],
  [{ ports: ['22/tcp', '80/http'] }, null],
  [{ env: {} }, { clause: 'kept', expected: 'env {"PLUMBLINE":"kept"}', observed: 'env {}' }],
  [{ actions: ['start'] }, { clause: 'status', observed: 'actions ["start"] while RUNNING' }],
  [{ env: { PLUMBLINE: 'kept', HOME: '/' }, mounts: { network: [] }, cost: 3, dataCenterId: 'dc-2', more: 1 }, null],
])('a pod that shows %j is explained, or not', (shown, wrong) => {
  const seen = unexplainedIn(podIn(), 'RUNNING', seenIn('RUNNING', shown))
  expect(seen).toEqual(wrong === null ? null : expect.objectContaining(wrong))
})
