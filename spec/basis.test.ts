import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

// What the description shows is typed here by hand. Every other operation, path, response and schema must be marked as
// inferred.

type Node = Readonly<Record<string, unknown>>
type Nodes = Readonly<Record<string, Node>>

const statedOperations =
  'triggerPodAction listCpuFlavors runJob runJobSync getJobStatus streamJob cancelJob retryJob purgeQueue ' +
  'getEndpointHealth callOpenaiRoute listRequests getRoute postRoute putRoute patchRoute deleteRoute createEndpoint'

const inferredPaths =
  '/v2/pods /v2/pods/{id} /v2/{endpoint_id}/stream/{job_id} /v2/{endpoint_id}/cancel/{job_id} ' +
  '/v2/{endpoint_id}/retry/{job_id} /v1/endpoints/{id}'

/** Error statuses of each plane (headings Trigger a pod action, Authentication, Errors). */
const statedErrors: Readonly<Record<string, string>> = {
  pods: '400 401 403 404 409 422 429 default',
  queue: '400 401 403 404 429 500',
  'load-balanced': '400 401 403 404 429 500 default',
  management: '401 403',
}

const statedSuccess: Readonly<Record<string, string>> = {
  triggerPodAction: '200 204',
  runJob: '200',
  runJobSync: '200',
  getJobStatus: '200',
  getRoute: '200',
  postRoute: '200',
  putRoute: '200',
  patchRoute: '200',
  deleteRoute: '200',
  notifyJobCompleted: '200 default',
}

const inferredSchemas =
  'PodPortsRequest PodList PodCreate PodUpdate CpuConfigRequest CpuFlavor CpuFlavorList JobStatusInferred RunsyncWait ' +
  'JobReceipt JobNotification StreamResponse PurgeResponse EndpointHealth Count QueueError EndpointUpdate Endpoint ' +
  'ManagementError'

const inferredProperties =
  'Job.delayTime Job.executionTime Job.workerId Job.retries EndpointCreate.executionTimeoutMs ' +
  'EndpointUpdate.executionTimeoutMs Endpoint.executionTimeoutMs'

const document = parse(readFileSync(new URL('openapi.yaml', import.meta.url), 'utf8')) as {
  readonly paths: Nodes
  readonly webhooks: Nodes
  readonly components: { readonly responses: Nodes; readonly schemas: Nodes; readonly parameters: Nodes }
}
const { parameters, responses, schemas } = document.components
const items = Object.entries({ ...document.paths, ...document.webhooks })
const operations = items.flatMap(([, item]) =>
  Object.values(item).filter(
    (value): value is Node => typeof value === 'object' && value !== null && 'operationId' in value,
  ),
)

test('operations that the description names are stated, all others inferred', () => {
  const stated = operations.filter((operation) => !isInferred(operation)).map(({ operationId }) => operationId)
  expect(stated.sort()).toEqual(statedOperations.split(' ').sort())
})

test('paths that the description writes are stated, all others inferred', () => {
  expect(items.filter(([, item]) => isInferred(item)).map(([path]) => path)).toEqual(inferredPaths.split(' '))
})

describe('responses', () => {
  const listed = operations.flatMap(({ operationId, tags, responses: own }) =>
    Object.entries(own as Nodes).map(([status, response]) => {
      const all = [statedErrors[String(tags)], statedSuccess[String(operationId)]].join(' ').split(' ')
      const isNotification = operationId === 'notifyJobCompleted'
      const expected = isNotification ? statedSuccess[operationId]?.split(' ') : all
      return { name: `${operationId} ${status}`, response, isStated: expected?.includes(status) ?? false }
    }),
  )
  test.each(listed)('$name is stated: $isStated', ({ response, isStated }) => {
    const { $ref } = response
    const named = typeof $ref === 'string' ? responses[$ref.replace('#/components/responses/', '')] : response
    expect(isInferred(named ?? {})).toBe(!isStated)
  })
})

test('schemas that the description shows are stated, all others inferred', () => {
  const inferred = Object.keys(schemas).filter((name) => isInferred(schemas[name] ?? {}))
  expect(inferred.sort()).toEqual(inferredSchemas.split(' ').sort())
})

test('so are their properties', () => {
  const inferred = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
    Object.entries(properties as Nodes).flatMap(([member, value]) => (isInferred(value) ? [`${name}.${member}`] : [])),
  )
  expect(inferred.sort()).toEqual(inferredProperties.split(' ').sort())
})

test('so are the parameters', () => {
  const inline = [...items.map(([, item]) => item), ...operations].flatMap((node) => (node.parameters ?? []) as Node[])
  const named = [...inline, ...Object.values(parameters)].filter(({ name }) => name !== undefined)
  expect(named.filter(isInferred).map(({ name, description }) => `${name}: ${description}`)).toEqual([
    'id: Identifier of the endpoint.',
    'wait: Milliseconds to wait for this job.',
  ])
})

test('the mark has one form', () => {
  const marks = [...JSON.stringify(document).matchAll(/"x-basis":("[^"]*"|[^,}]*)/g)].map(([, value]) => value)
  expect([...new Set(marks)]).toEqual(['"inferred"'])
})

function isInferred(node: Node): boolean {
  return node['x-basis'] === 'inferred'
}
