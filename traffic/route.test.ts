import { expect, test } from 'vitest'
import { parseTarget } from '../target-file/load.ts'
import { createFindRoute } from './route.ts'

const file = `
plumbline: 1
pods: {url: https://api.example.com/base, paths: {triggerPodAction: '/v2/pods/{id}/do(it)'}}
queue: {url: https://api.example.com, endpoints: {normal: a}}
lb: {endpoints: {normal: https://lb.example.com/one}}
management: {url: https://rest.example.com, template: t}
keys: {full: plumbline-example-full}
`
const find = createFindRoute(parseTarget(file, { file: 'a test', environment: {} }))

test.each([
  ['GET', 'https://api.example.com/base/v2/pods?x=1', { operation: 'listPods', subject: null }],
  ['GET', 'https://api.example.com/base/v2/pods/a%20b', { operation: 'getPod', subject: 'a b' }],
  ['GET', 'https://api.example.com/base/v2/pods/%E0', { operation: 'getPod', subject: '%E0' }],
  ['POST', 'https://api.example.com/base/v2/pods/p/do(it)', { operation: 'triggerPodAction', subject: 'p' }],
  ['POST', 'https://api.example.com/base/v2/pods/p/action', null],
  ['GET', 'https://api.example.com/base/v2/catalog/cpus', { operation: 'listCpuFlavors', subject: null }],
  ['POST', 'https://api.example.com/v2/e/run', { operation: 'runJob', subject: null, endpoint: 'e' }],
  [
    'GET',
    'https://api.example.com/v2/pods/health',
    { operation: 'getEndpointHealth', subject: null, endpoint: 'pods' },
  ],
  ['GET', 'https://api.example.com/v2/e/status/j', { operation: 'getJobStatus', subject: 'j', endpoint: 'e' }],
  ['POST', 'https://api.example.com/v2/e/openai/v1/x', { operation: 'callOpenaiRoute', subject: null, endpoint: 'e' }],
  ['DELETE', 'https://rest.example.com/v1/endpoints/e', { operation: 'deleteEndpoint', subject: 'e' }],
  ['GET', 'https://lb.example.com/one/ping', { operation: 'pingWorker', subject: null }],
  ['GET', 'https://lb.example.com/one/any/path', { operation: 'getRoute', subject: null }],
  ['GET', 'https://lb.example.com/two', null],
  ['OPTIONS', 'https://api.example.com/base/v2/pods', null],
  ['GET', 'https://example.com/v2/pods', 'elsewhere'],
])('%s %s', (method, url, route) => expect(find(method, url)).toEqual(route))
