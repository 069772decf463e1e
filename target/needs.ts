/** Something that a rule may need of a target: what it is, and what to add to a target file that offers it. */
export interface Need {
  readonly says: string
  /** Lines for the target file; null where the part of the suite that judges it is not there yet. */
  readonly line: string | null
}

/** Every need that the ledger knows, by name. `absent:` in a target file takes these names and no other. */
export const needs: Readonly<Record<string, Need>> = {
  'pods.gpu': { says: 'GPU pods are on offer', line: 'pods: {gpu: {id: GPU_TYPE_ID}}' },
  'pods.cpu': { says: 'CPU pods are on offer', line: 'pods: {cpu: catalog}' },
  'pods.persistent': {
    says: 'GPU pods with a persistent mount are on offer',
    line: 'pods: {gpu: {id: GPU_TYPE_ID}, persistent: {size: 10, path: /workspace}}',
  },
  'pods.change': { says: 'a field beside mounts that PATCH changes without harm', line: 'pods: {change: env}' },
  catalog: { says: 'CPU flavors are listed', line: 'pods: {catalog: true}' },
  volume: { says: 'a network volume that pods may mount', line: 'pods: {volume: VOLUME_ID}' },
  'volume.second': { says: 'a second network volume in the same data center', line: 'pods: {volumeSecond: VOLUME_ID}' },
  'volume.elsewhere': {
    says: 'a network volume in another data center',
    line: 'pods: {volumeElsewhere: VOLUME_ID}',
  },
  'pod.provisioning': { says: 'a recipe for a pod in PROVISIONING', line: 'pods: {cpu: catalog}' },
  'pod.starting': { says: 'a recipe for a pod in STARTING', line: 'pods: {cpu: catalog}' },
  'pod.running': { says: 'a recipe for a pod in RUNNING', line: 'pods: {cpu: catalog}' },
  'pod.exited': { says: 'a recipe for a pod in EXITED', line: 'pods: {cpu: catalog}' },
  'pod.error': {
    says: 'a recipe for a pod in ERROR',
    line: 'pods: {statuses: {ERROR: {body: {image: AN_IMAGE_THAT_FAILS}}}}',
  },
  'key.second': { says: 'another key of the same account', line: keyLine('second') },
  'key.restricted': {
    says: 'a key that lacks permissions',
    line: `keys: {restricted: {key: '\${RESTRICTED_API_KEY}', may: [listPods, getPod], mayNot: [stop]}}`,
  },
  'restricted.may': {
    says: 'what that key may do',
    line: `keys: {restricted: {key: '\${RESTRICTED_API_KEY}', may: [listPods, getPod]}}`,
  },
  'restricted.may-not': {
    says: 'what that key may not do',
    line: `keys: {restricted: {key: '\${RESTRICTED_API_KEY}', mayNot: [createPod, stop]}}`,
  },
  'key.expired': { says: 'a key that has expired', line: keyLine('expired') },
  'key.stranger': { says: 'a key of another account', line: keyLine('stranger') },
  pods: { says: 'the pod API', line: 'pods: https://HOST' },
  queue: { says: 'queue-based endpoints', line: 'queue: {url: https://HOST, endpoints: {normal: ENDPOINT_ID}}' },
  worker: {
    says: 'the conformance worker on the queue-based endpoints',
    line: 'queue: {worker: true}',
  },
  receiver: {
    says: 'a way from the target to the receiver of the suite',
    line: "receiver: {listen: '0.0.0.0:8787', url: https://HOST_OF_THE_SUITE}",
  },
  stream: { says: 'partial results over /stream', line: 'queue: {stream: true}' },
  requests: { says: 'the route /requests', line: 'queue: {requests: true}' },
  openai: { says: 'the routes below /openai', line: 'queue: {openai: true}' },
  'endpoint.dedicated': {
    says: 'an endpoint that may be flooded and purged, and its workers killed',
    line: endpointLine('dedicated'),
  },
  'endpoint.second': { says: 'a second endpoint', line: endpointLine('second') },
  'endpoint.two-workers': { says: 'an endpoint with two workers', line: endpointLine('twoWorkers') },
  'endpoint.scale-to-zero': { says: 'an endpoint that scales to no workers', line: endpointLine('scaleToZero') },
  'endpoint.execution-timeout': {
    says: 'an endpoint with a set execution timeout',
    line: 'queue: {endpoints: {executionTimeout: {id: ENDPOINT_ID, after: 15s}}}',
  },
  'endpoint.no-execution-timeout': {
    says: 'an endpoint without an execution timeout',
    line: endpointLine('noExecutionTimeout'),
  },
  'endpoint.per-worker-rate': {
    says: 'the request rate that each worker adds',
    line: 'queue: {perWorkerRate: REQUESTS}',
  },
  ...later({
    'pod.probe': 'an image that reports its arguments, variables and files over a port',
    template: 'a template that pods are created from',
    'global-networking': 'pods with a global-network address',
    lb: 'load-balanced endpoints',
    management: 'endpoint management',
    'management.update': 'the call that changes an endpoint',
    'management.delete': 'the call that deletes an endpoint',
    'lb.worker': 'the conformance worker on a load-balanced endpoint',
    'account.exclusive': 'an account that nobody else uses',
    'account.standard': 'an account with the standard quota',
    'quota.reachable': 'a pod quota that can be drained within the budget',
    deploy: 'the deployment tool',
    'deploy.lookups': 'look-ups of addresses that can be observed',
    openapi: 'a published API document',
  }),
}

function later(says: Readonly<Record<string, string>>): Record<string, Need> {
  return Object.fromEntries(Object.entries(says).map(([name, text]) => [name, { says: text, line: null }]))
}

function keyLine(name: string): string {
  return `keys: {${name}: '\${${name.toUpperCase()}_API_KEY}'}`
}

function endpointLine(role: string): string {
  return `queue: {endpoints: {${role}: ENDPOINT_ID}}`
}
