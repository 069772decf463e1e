import { describe, expect, test } from 'vitest'
import { openapi } from '../generated/openapi.ts'
import { podActions, podStatuses, tables } from '../generated/tables.ts'
import { validators } from '../generated/validators.ts'

// Conditions of the schema of a pod, against the tables and with cases of their own.

const { examples } = openapi.components as { examples: Record<string, { value: Readonly<Record<string, unknown>> }> }
const running = examples.PodRunning?.value ?? {}
const exited = examples.PodCpuExited?.value ?? {}
const sets = Array.from({ length: 2 ** podActions.length }, (_, bits) =>
  podActions.filter((_action, at) => bits & (1 << at)),
)

/** A pod as it is in this status, but for its actions. */
const podIn = (status: string) => ({ ...running, status, ...(status === 'RUNNING' ? {} : { runtime: null, cost: 0 }) })

test.each(podStatuses.filter((status) => status !== 'TERMINATED'))(
  '%s publishes the actions of its table',
  (status) => {
    const accepted = sets.filter((actions) => validators.Pod({ ...podIn(status), actions, locked: false }))
    expect(accepted).toEqual([podActions.filter((action) => tables.actions[status].includes(action))])
  },
)

test.each(podStatuses.filter((status) => status !== 'TERMINATED'))(
  '%s and locked may lack stop and restart',
  (status) => {
    const accepted = sets.filter((actions) => validators.Pod({ ...podIn(status), actions, locked: true }))
    const isLeft = (action: string) => action !== 'stop' && action !== 'restart'
    const permitted = tables.actions[status]
    const possible = sets.filter(
      (set) =>
        set.every((one) => permitted.includes(one)) && permitted.filter(isLeft).every((one) => set.includes(one)),
    )
    expect(accepted).toEqual(possible)
  },
)

test('TERMINATED may publish any action', () => {
  expect(sets.filter((actions) => !validators.Pod({ ...podIn('TERMINATED'), actions }))).toEqual([])
})

describe('a pod', () => {
  const { gpu: _, ...bare } = running
  const persistent = { size: 10, path: '/p' }
  const network = [{ volumeId: 'vol-1', path: '/n' }]
  test.each<[says: string, pod: object, isValid: boolean]>([
    ['lists its actions in any order', { ...exited, actions: ['terminate', 'start'] }, true],
    ['lists no action twice', { ...exited, actions: ['start', 'terminate', 'start'] }, false],
    ['has gpu or cpu', bare, false],
    ['has not gpu and cpu', { ...running, cpu: exited.cpu }, false],
    ['has one kind of mount', { ...running, mounts: { persistent, network } }, false],
    ['may show that it has no network mount', { ...running, mounts: { persistent, network: [] } }, true],
    ['has no persistent mount on CPUs', { ...exited, mounts: { persistent } }, false],
    ['has a network mount on CPUs', { ...exited, mounts: { network } }, true],
    ['may have no metrics while RUNNING', { ...running, runtime: null }, true],
    ['has no metrics unless RUNNING', { ...exited, runtime: {} }, false],
    ['costs nothing while EXITED', { ...exited, cost: 0.1 }, false],
    ['may cost nothing while RUNNING', { ...running, cost: 0 }, true],
    ['has an address only if enabled', { ...running, globalNetworking: { enabled: false, ip: '10.0.0.1' } }, false],
    ['has a name only if enabled', { ...running, globalNetworking: { enabled: false, internalDns: 'a.b' } }, false],
    ['may have neither although enabled', { ...running, globalNetworking: { enabled: true } }, true],
    ['has a power of two of vCPUs', { ...exited, cpu: { id: 'c', vcpuCount: 6, memory: 8 } }, false],
  ])('%s', (_says, pod, isValid) => {
    expect(validators.Pod(pod), JSON.stringify(validators.Pod.errors)).toBe(isValid)
  })
})
