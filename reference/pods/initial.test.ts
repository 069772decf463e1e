import { expect, test } from 'vitest'
import { podStatuses, tables } from '../../generated/tables.ts'
import { OptionError } from '../option-error.ts'
import { cpuBody, createBench, gpuBody } from '../testing/bench.ts'
import type { PodStatus } from './pod.ts'

const living = podStatuses.filter((status) => status !== 'TERMINATED')

test.each(living)('a pod can begin as %s', async (status) => {
  const { call, pass } = createBench({ pods: [{ body: cpuBody, status }] })
  const read = async () => {
    const { body = {} } = await call('GET', '/v2/pods')
    return (body.pods as Record<string, unknown>[])[0] ?? {}
  }
  const before = await read()
  expect(before).toMatchObject({ name: 'crawler', status, actions: tables.actions[status] })
  expect(before.startedAt !== null).toBe(status === 'RUNNING' || status === 'EXITED')
  pass(60_000)
  const settled: Partial<Record<PodStatus, PodStatus>> = { PROVISIONING: 'RUNNING', STARTING: 'RUNNING' }
  expect(await read()).toMatchObject({ status: settled[status] ?? status })
})

test('a pod of the beginning belongs to the first account, and no quota counts it', async () => {
  const pods = [{ body: gpuBody }, { body: cpuBody }]
  const { call } = createBench({ pods, quotas: { minute: 1 } })
  expect(await call('GET', '/v2/pods')).toMatchObject({ status: 200, body: { pods: [{}, {}] } })
  expect(await call('GET', '/v2/pods', { key: 'stranger' })).toMatchObject({ body: { pods: [] } })
})

test('one that a creation refuses is refused with its reason', () => {
  const begin = () => createBench({ pods: [{ body: gpuBody }, { body: { ...gpuBody, gpu: { id: 'gpu-z' } } }] })
  expect(begin).toThrow(OptionError)
  expect(begin).toThrow('Option pods[1]: expected the body of a creation, which this is not (unknown gpu type), got {')
})
