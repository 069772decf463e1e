import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { openapi } from '../generated/openapi.ts'
import {
  constraints,
  jobStatuses,
  podActions,
  podClouds,
  podRequired,
  podStatuses,
  tableSources,
  tables,
} from '../generated/tables.ts'

import { readHeadings } from '../packages/codegen/headings.ts'

// Each table is typed here a second time, by hand and from the description, so that no single slip goes unseen.

test('Pod status: the six statuses and what each permits', () => {
  expect(podStatuses).toEqual(['PROVISIONING', 'STARTING', 'RUNNING', 'EXITED', 'ERROR', 'TERMINATED'])
  expect(tables.actions).toEqual({
    RUNNING: ['stop', 'restart', 'terminate'],
    EXITED: ['start', 'terminate'],
    ERROR: ['start', 'terminate'],
    PROVISIONING: ['stop', 'terminate'],
    STARTING: ['stop', 'terminate'],
    TERMINATED: [],
  })
})

test('Pod status: where each action starts, ends, and how it is answered', () => {
  expect(tables.transitions).toEqual({
    start: { from: ['EXITED', 'ERROR'], to: 'RUNNING', answer: 200 },
    stop: { from: ['RUNNING', 'PROVISIONING', 'STARTING'], to: 'EXITED', answer: 200 },
    restart: { from: ['RUNNING'], to: 'RUNNING', answer: 200 },
    terminate: { from: ['RUNNING', 'EXITED', 'ERROR', 'PROVISIONING', 'STARTING'], to: 'TERMINATED', answer: 204 },
  })
})

test('Pod: the action enum, the clouds and the twenty required fields', () => {
  expect(podActions).toEqual(['start', 'stop', 'restart', 'terminate'])
  expect(podClouds).toEqual(['SECURE', 'COMMUNITY'])
  expect(podRequired).toHaveLength(20)
  expect(podRequired).toEqual(
    'id name status actions image args disk mounts ports env registry cloud dataCenterId template cost locked runtime createdAt startedAt globalNetworking'.split(
      ' ',
    ),
  )
})

test('Job status: the four statuses', () => {
  expect(jobStatuses).toEqual(['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'FAILED'])
})

test('Limits: rates of queue-based endpoints', () => {
  const rows = Object.entries(tables.rates).map(([name, { path, method, requests, windowSeconds, concurrent }]) => [
    name,
    path,
    method,
    requests,
    windowSeconds,
    concurrent,
  ])
  expect(rows).toEqual([
    ['runsync', '/runsync', 'POST', 2000, 10, 400],
    ['run', '/run', 'POST', 1000, 10, 200],
    ['status', '/status', 'GET', 2000, 10, 400],
    ['stream', '/stream', 'GET', 2000, 10, 400],
    ['cancel', '/cancel', 'POST', 100, 10, 20],
    ['purge', '/purge-queue', 'POST', 2, 10, null],
    ['openai', '/openai/*', 'POST', 2000, 10, 400],
    ['requests', '/requests', 'GET', 10, 10, 2],
  ])
})

test('Limits: windows of the pod API', () => {
  expect(tables.podWindows).toEqual([
    { name: 'minute', seconds: 60 },
    { name: 'hour', seconds: 3600 },
    { name: 'day', seconds: 86400 },
  ])
})

test('Limits and Events: lengths of time', () => {
  expect(tables.durations).toEqual({
    runRetentionMs: 1_800_000,
    runsyncRetentionMs: 60_000,
    runsyncRetentionMaximumMs: 300_000,
    webhookSpacingMs: 10_000,
    runsyncWaitMs: 60_000,
    peerCacheMs: 300_000,
  })
})

test('Limits: quotas', () => {
  expect(tables.quotas).toEqual({ workers: 30, packageGb: 1.5, webhookRetries: 2 })
})

test('Limits: bounds of fields', () => {
  const [fiveSeconds, tenSeconds, tenMinutes, oneDay, sevenDays] = [5_000, 10_000, 600_000, 86_400_000, 604_800_000]
  expect(tables.bounds).toEqual({
    podDiskGb: { minimum: 1 },
    persistentSizeGb: { minimum: 10 },
    networkMounts: { maximum: 1 },
    gpuCount: { minimum: 1, default: 1 },
    vcpuCount: { minimum: 2 },
    cpuMemoryGb: { minimum: 1 },
    utilizationPercent: { minimum: 0, maximum: 100 },
    executionTimeoutMs: { minimum: fiveSeconds, maximum: sevenDays, default: tenMinutes },
    ttlMs: { minimum: tenSeconds, maximum: sevenDays, default: oneDay },
    runsyncWaitMs: { minimum: 1_000, maximum: 300_000 },
  })
})

test('Mounts, CpuConfig and Errors: how a request may be answered that breaks a constraint', () => {
  expect(constraints).toEqual({
    bothMounts: [400],
    cpuPersistent: [400, 422],
    emptyNetwork: [400],
    gpuAndCpu: ['4XX'],
    neitherGpuNorCpu: ['2XX', '4XX'],
    notObject: [422, 400],
    policyRange: [400, 200],
    portForm: [422, 400],
    portRange: ['2XX', '4XX'],
    twoNetworks: [422, 400],
    vcpuPower: ['4XX'],
    waitRange: [400, 200],
    webhookScheme: [400, 200],
  })
})

test('Errors: statuses of the pod API and of serverless endpoints', () => {
  expect(tables.problemStatuses.map(({ status }) => status)).toEqual([400, 401, 403, 404, 409, 422, 429])
  expect(tables.serverlessStatuses.map(({ status }) => status)).toEqual([200, 400, 401, 404, 429, 500])
})

describe('Resources and their fields: required fields and enums', () => {
  const schemas = openapi.components.schemas as Record<string, { required?: string[]; additionalProperties?: unknown }>
  const required: readonly [string, readonly string[]][] = [
    ['PodActionRequest', ['action']],
    ['GpuConfig', ['id']],
    ['CpuConfig', ['id', 'vcpuCount', 'memory']],
    ['PersistentMount', ['size', 'path']],
    ['NetworkMount', ['volumeId', 'path']],
    ['PodGlobalNetworking', ['enabled']],
    ['Problem', ['title', 'status', 'detail']],
    ['Job', ['id', 'status']],
    ['JobSubmission', ['input']],
    ['LbError', ['error', 'detail']],
    ['PodCreate', ['name', 'image']],
  ]
  test.each(required)('%s requires %j', (name, fields) => {
    expect(schemas[name]?.required).toEqual(fields)
  })

  test('nothing of PodRuntime, Mounts, JobPolicy and S3Config is required', () => {
    const optional = ['PodRuntime', 'PodRuntimePort', 'Utilization', 'Mounts', 'JobPolicy', 'S3Config', 'PodUpdate']
    expect(optional.filter((name) => schemas[name]?.required)).toEqual([])
  })

  test('these alone are closed', () => {
    const closed = Object.keys(schemas).filter((name) => schemas[name]?.additionalProperties === false)
    expect(closed.sort()).toEqual([
      'Mounts',
      'NetworkMount',
      'PersistentMount',
      'PodActionRequest',
      'PodCreate',
      'PodUpdate',
    ])
  })

  test('lowPriority is false by default, cloud SECURE', () => {
    type Defaults = Record<string, { properties?: Record<string, { 'x-default'?: unknown }> }>
    const { JobPolicy, PodCreate } = schemas as Defaults
    expect(JobPolicy?.properties?.lowPriority?.['x-default']).toBe(false)
    expect(PodCreate?.properties?.cloud?.['x-default']).toBe('SECURE')
  })
})

const file = { data: parse(readFileSync(new URL('headings.yaml', import.meta.url), 'utf8')) }
const headings = readHeadings(file)

describe('headings', () => {
  test('are these, in this order', () => {
    expect(headings.map(({ level, name }) => `${'#'.repeat(level)} ${name}`)).toEqual([
      '# Compute Platform API: Pods and Serverless Endpoints',
      '## What the service does',
      '## Resources and their fields',
      '### Pod',
      '### GpuConfig',
      '### CpuConfig',
      '### Mounts',
      '### PodGlobalNetworking',
      '### PodRuntime',
      '### Job',
      '### Job submission body',
      '### Endpoint creation body',
      '## States and transitions',
      '### Pod status',
      '### Job status',
      '## Endpoints',
      '### Trigger a pod action',
      '### Queue-based endpoint operations',
      '### Load-balanced endpoint routes',
      '### Create an endpoint',
      '### Other operations',
      '## Authentication',
      '## Events',
      '## Errors',
      '## Limits',
      '## Versioning',
    ])
    expect(file.data.labels).toEqual(['Address placeholders'])
  })

  test('each table stands under one', () => {
    const names = headings.map(({ name }) => name)
    expect(Object.values(tableSources).filter((source) => !names.includes(source))).toEqual([])
  })
})
