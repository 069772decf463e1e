import { expect, test } from 'vitest'
import { readBounds } from './bounds.ts'
import type { Document } from './inputs.ts'

const SCHEMAS = {
  PodDisk: { minimum: 1 },
  PersistentMount: { properties: { size: { minimum: 10 } } },
  Mounts: { properties: { network: { maxItems: 1 } } },
  GpuConfig: { properties: { count: { minimum: 1, 'x-default': 1 } } },
  VcpuCount: { minimum: 2, enum: [2, 4] },
  CpuMemory: { minimum: 1 },
  Utilization: { properties: { util: { minimum: 0, maximum: 100 } } },
  JobPolicy: { properties: { executionTimeout: { maximum: 9 }, ttl: { 'x-default': 8 } } },
  RunsyncWait: { minimum: 1000 },
}

test('bounds are taken from their places', () => {
  const { networkMounts, gpuCount, vcpuCount, utilizationPercent, ttlMs } = readBounds(documentWith(SCHEMAS))
  expect(networkMounts).toEqual({ maximum: 1 })
  expect(gpuCount).toEqual({ minimum: 1, default: 1 })
  expect(vcpuCount).toEqual({ minimum: 2 })
  expect(utilizationPercent).toEqual({ minimum: 0, maximum: 100 })
  expect(ttlMs).toEqual({ default: 8 })
})

test.each([
  ['a schema that is missing', { ...SCHEMAS, PodDisk: undefined }, 'PodDisk'],
  ['a field that is missing', { ...SCHEMAS, JobPolicy: { properties: {} } }, 'JobPolicy.executionTimeout'],
  ['a number without bounds', { ...SCHEMAS, VcpuCount: { type: 'integer' } }, 'VcpuCount'],
])('%s is refused', (_what, schemas, place) => {
  expect(() => readBounds(documentWith(schemas))).toThrow(`spec/openapi.yaml has no bounds at ${place}; give it some.`)
})

function documentWith(schemas: object): Document {
  return { openapi: '3.1.0', paths: {}, components: { schemas } } as Document
}
