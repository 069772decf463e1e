import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import SwaggerParser from '@apidevtools/swagger-parser'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type SchemaName, validators } from '../generated/validators.ts'
import { sourcesOf } from '../packages/codegen/headings.ts'

type Node = Readonly<Record<string, unknown>>

const FILE = fileURLToPath(new URL('openapi.yaml', import.meta.url))
const document = parse(readFileSync(FILE, 'utf8')) as {
  readonly paths: Readonly<Record<string, Node>>
  readonly webhooks: Readonly<Record<string, Node>>
  readonly security: unknown
  readonly components: {
    readonly schemas: Readonly<Record<string, Node>>
    readonly examples: Readonly<Record<string, Node>>
    readonly links: Readonly<Record<string, Node>>
    readonly requestBodies: Readonly<Record<string, Node>>
  }
}
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv, ['date-time', 'uri', 'float'])
const METHODS = ['get', 'post', 'put', 'patch', 'delete']
const operations = Object.entries({ ...document.paths, ...document.webhooks }).flatMap(([path, item]) =>
  METHODS.flatMap((method) => (item[method] ? [{ path, method, operation: item[method] as Node }] : [])),
)

describe('the document', () => {
  test('is valid by swagger-parser', async () => {
    await expect(SwaggerParser.validate(FILE)).resolves.toBeDefined()
  })

  test('passes the recommended rules without a warning', async () => {
    // Planes live on different servers, so /v2/pods/{id} and /v2/{endpoint_id}/run never meet; the next test keeps the
    // rule within each plane.
    const rules = {
      'no-ambiguous-paths': 'off',
      // For examples the linter closes each schema, and with it each branch of a condition.
      'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
      // Conditions require properties that the schema around them defines.
      'no-required-schema-properties-undefined': 'off',
    } as const
    expect(await lint(document, { extends: ['recommended'], rules })).toEqual([])
  })

  test.each(planes())('has no ambiguous paths on the plane $server', async ({ paths }) => {
    expect(await lint({ ...document, paths }, { rules: { 'no-ambiguous-paths': 'error' } })).toEqual([])
  })

  test('is refused by the linter when something is wrong with it', async () => {
    const { '/v2/pods': pods, ...paths } = document.paths
    const nameless = { ...pods, get: { ...(pods?.get as Node), operationId: undefined, responses: {} } }
    const found = await lint({ ...document, paths: { ...paths, '/v2/pods': nameless } }, { extends: ['recommended'] })
    expect(found.join('\n')).toContain('operation-operationId')
  })
})

describe('operations', () => {
  test('are those of the four planes', () => {
    const listed = operations.map(({ path, method, operation }) => `${operation.operationId} ${method} ${path}`)
    expect(listed.sort()).toEqual([
      'callOpenaiRoute post /v2/{endpoint_id}/openai/{route}',
      'cancelJob post /v2/{endpoint_id}/cancel/{job_id}',
      'createEndpoint post /v1/endpoints',
      'createPod post /v2/pods',
      'deleteEndpoint delete /v1/endpoints/{id}',
      'deletePod delete /v2/pods/{id}',
      'deleteRoute delete /{route}',
      'getEndpoint get /v1/endpoints/{id}',
      'getEndpointHealth get /v2/{endpoint_id}/health',
      'getJobStatus get /v2/{endpoint_id}/status/{job_id}',
      'getPod get /v2/pods/{id}',
      'getRoute get /{route}',
      'listCpuFlavors get /v2/catalog/cpus',
      'listEndpoints get /v1/endpoints',
      'listPods get /v2/pods',
      'listRequests get /v2/{endpoint_id}/requests',
      'notifyJobCompleted post jobCompleted',
      'patchRoute patch /{route}',
      'pingWorker get /ping',
      'postRoute post /{route}',
      'purgeQueue post /v2/{endpoint_id}/purge-queue',
      'putRoute put /{route}',
      'retryJob post /v2/{endpoint_id}/retry/{job_id}',
      'runJob post /v2/{endpoint_id}/run',
      'runJobSync post /v2/{endpoint_id}/runsync',
      'streamJob get /v2/{endpoint_id}/stream/{job_id}',
      'triggerPodAction post /v2/pods/{id}/action',
      'updateEndpoint patch /v1/endpoints/{id}',
      'updatePod patch /v2/pods/{id}',
    ])
  })

  test('need a bearer token, the notification aside', () => {
    expect(document.security).toEqual([{ bearer: [] }])
    const exempt = operations
      .filter(({ operation }) => operation.security)
      .map(({ operation }) => operation.operationId)
    expect(exempt).toEqual(['notifyJobCompleted'])
  })

  test('answer an action with each stated status', () => {
    const { operation } = operations.find((found) => found.operation.operationId === 'triggerPodAction') ?? {}
    const statuses = Object.keys((operation?.responses as Node) ?? {})
    expect(statuses).toEqual(['200', '204', '400', '401', '403', '404', '409', '422', '429', 'default'])
  })
})

describe('links', () => {
  const { links } = document.components
  test.each(Object.entries(links))('%s leads to an operation and gives all that its path needs', (_name, link) => {
    const { path } = operations.find(({ operation }) => operation.operationId === link.operationId) ?? {}
    const needed = [...(path ?? '-').matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect(Object.keys(link.parameters as Node)).toEqual(needed)
  })
})

describe('sources', () => {
  const accepted = sourcesOf({ data: parse(readFileSync(new URL('headings.yaml', import.meta.url), 'utf8')) })
  const described = [
    ...Object.entries(document.components.schemas),
    ...operations.map(({ operation }) => [String(operation.operationId), operation] as const),
  ]

  test.each(described)('%s names a heading', (_name, { 'x-source': source }) => {
    expect(accepted).toContain(source)
  })
})

describe('examples', () => {
  const media = mediaTypes(document)

  test('stand beside every schema of a body', () => {
    expect(media.length).toBeGreaterThan(40)
    expect(media.filter(({ examples }) => examples.length === 0)).toEqual([])
  })

  test.each(media)('of $name have its form', ({ schema, examples }) => {
    const validate = ajv.compile({ ...schema, components: document.components })
    for (const example of examples) expect(validate(example), JSON.stringify([example, validate.errors])).toBe(true)
  })
})

describe('schemas', () => {
  const pod = (document.components.examples.PodRunning as { value: Node }).value
  const mount = { volumeId: 'vol-1', path: '/data' }
  const creation = { name: 'a', image: 'b' }
  type Case = readonly [SchemaName, unknown, boolean]
  const cases: readonly Case[] = [
    ['Pod', { ...pod, region: 'later' }, true],
    ['Pod', { ...pod, status: 'PAUSED' }, false],
    ['Pod', { ...pod, runtime: null, startedAt: null }, true],
    ['Pod', { ...pod, createdAt: null }, false],
    ['Pod', { ...pod, createdAt: 'yesterday' }, false],
    ['Pod', { ...pod, disk: 0 }, false],
    ['Pod', { ...pod, env: { A: 1 } }, false],
    ['Pod', { ...pod, ports: ['8888'] }, false],
    ['PodActionRequest', { action: 'stop' }, true],
    ['PodActionRequest', { action: 'stop', force: true }, false],
    ['PodActionRequest', { action: 'Stop' }, false],
    ['PodActionRequest', {}, false],
    ['PodCreate', creation, false],
    ['PodCreate', { ...creation, gpu: { id: 'g' }, color: 'red' }, false],
    ['PodCreate', { ...creation, cpu: { id: 'c', vcpuCount: 2 } }, true],
    ['PodCreate', { ...creation, cpu: { id: 'c', vcpuCount: 2 }, gpu: { id: 'g' } }, false],
    ['PodCreate', { ...creation, cpu: { id: 'c', vcpuCount: 2 }, mounts: { network: [mount] } }, true],
    [
      'PodCreate',
      { ...creation, cpu: { id: 'c', vcpuCount: 2 }, mounts: { persistent: { size: 10, path: '/p' } } },
      false,
    ],
    ['PodCreate', { ...creation, cpu: { id: '', vcpuCount: 2 } }, false],
    ['PodCreate', { ...creation, cpu: { id: 'c', vcpuCount: 1 } }, false],
    ['PodCreate', { ...creation, cpu: { id: 'c', vcpuCount: 3 } }, false],
    ['PodCreate', { ...creation, gpu: { id: 'g' } }, true],
    ['PodCreate', { ...creation, gpu: { id: 'g', count: 0 } }, false],
    ['PodUpdate', {}, true],
    ...['1/udp', '80/http', '65535/tcp'].map((port): Case => ['PodUpdate', { ports: [port] }, true]),
    ...['0/tcp', '65536/tcp', '70000/tcp', '99999/tcp', '80', '80/'].map(
      (port): Case => ['PodUpdate', { ports: [port] }, false],
    ),
    ['PodUpdate', { mounts: {} }, true],
    ['PodUpdate', { mounts: null }, false],
    ['PodUpdate', { status: 'EXITED' }, false],
    ['Mounts', { network: [] }, true],
    ['MountsRequest', {}, true],
    ['MountsRequest', { network: [mount] }, true],
    ['MountsRequest', { network: [] }, false],
    ['MountsRequest', { network: [mount], persistent: { size: 10, path: '/p' } }, false],
    ['Mounts', { network: [mount, mount] }, false],
    ['Mounts', { network: [{ ...mount, size: 1 }] }, false],
    ['Mounts', { persistent: { size: 9, path: '/p' } }, false],
    ['Mounts', { persistent: { size: 10 } }, false],
    ['Mounts', { other: {} }, false],
    ['CpuConfig', { id: 'c', vcpuCount: 2 }, false],
    ['Problem', { title: 'a', status: 400, detail: 'b', errors: [1] }, false],
    ['Job', { id: 'j', status: 'CANCELLED' }, true],
    ['Job', { id: 'j', status: 'DONE' }, false],
    ['Job', { id: 'j', status: 'COMPLETED' }, true],
    ['Job', { id: 'j', status: 'FAILED' }, false],
    ['Job', { id: 'j', status: 'FAILED', error: 'e' }, true],
    ['Job', { id: 'j', status: 'FAILED', error: 7 }, false],
    ['JobAccepted', { id: 'j', status: 'IN_PROGRESS' }, false],
    ['JobSubmission', { input: {}, later: 1 }, true],
    ['JobSubmission', { input: 'text' }, false],
    ['JobSubmission', {}, false],
    ['JobSubmission', { input: {}, webhook: 'nowhere' }, false],
    ['JobSubmission', { input: {}, webhook: 'ftp://receiver.test/job' }, false],
    ['JobSubmission', { input: {}, webhook: 'HTTPS://receiver.test/job' }, true],
    ['JobSubmission', { input: {}, policy: { ttl: 9999 } }, false],
    ['JobSubmission', { input: {}, policy: { executionTimeout: 604800001 } }, false],
    ['LbError', { error: 'a' }, false],
    ['EndpointCreate', { name: 'a' }, false],
  ]

  test.each(cases)('%s %j is valid: %s', (name, data, valid) => {
    expect(validators[name](data)).toBe(valid)
  })

  test('have neither defaults nor objects without members, which generators make required and empty', () => {
    const { schemas, requestBodies } = document.components
    expect(nodesIn(schemas).filter((node) => 'default' in node)).toEqual([])
    const hasMembers = (node: Node) =>
      ['properties', 'additionalProperties', 'required', 'if'].some((key) => key in node)
    const objects = nodesIn({ schemas, requestBodies, paths: document.paths }).filter(({ type }) => type === 'object')
    expect(objects.filter((node) => !hasMembers(node))).toEqual([])
  })

  test('mark persistent mounts as deprecated', () => {
    const { PersistentMount, Mounts } = document.components.schemas
    expect(PersistentMount?.deprecated).toBe(true)
    expect(Mounts?.properties).toMatchObject({ persistent: { deprecated: true } })
  })
})

async function lint(source: unknown, rules: Parameters<typeof createConfig>[0]): Promise<string[]> {
  const config = await createConfig(rules)
  const problems = await lintFromString({ source: JSON.stringify(source), absoluteRef: FILE, config })
  return problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`)
}

function planes(): { server: string; paths: Record<string, Node> }[] {
  const groups = Object.groupBy(
    Object.entries(document.paths),
    ([, { servers }]) => (servers as [{ url: string }])[0].url,
  )
  return Object.entries(groups).map(([server, items = []]) => ({ server, paths: Object.fromEntries(items) }))
}

/** Every object within a value. */
function nodesIn(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return []
  return [...(Array.isArray(value) ? [] : [value as Node]), ...Object.values(value).flatMap(nodesIn)]
}

/** Every body whose schema is a component, with its examples resolved. */
function mediaTypes(node: unknown): { name: string; schema: Node; examples: unknown[] }[] {
  if (typeof node !== 'object' || node === null) return []
  const {
    schema = {},
    example,
    examples = {},
  } = node as { schema?: { $ref?: string }; example?: unknown; examples?: Node }
  const inner = Object.values(node).flatMap(mediaTypes)
  const name = schema.$ref?.replace('#/components/schemas/', '')
  if (!name) return inner
  const listed = Object.values(examples as Record<string, { $ref?: string; value?: unknown }>).map(({ $ref, value }) =>
    $ref ? document.components.examples[$ref.replace('#/components/examples/', '')]?.value : value,
  )
  return [{ name, schema, examples: example === undefined ? listed : [example, ...listed] }, ...inner]
}
