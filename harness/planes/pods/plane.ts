import { operationsOf } from '../../../generated/operations.ts'
import type { TargetFile } from '../../../generated/target-file.ts'
import type { FileSection } from '../../../target/section.ts'
import type { PodSection, PodStatus } from '../../../target/types.ts'
import { createShownRate } from '../../client/shown-rate.ts'
import { idIn, listsIn, membersOf } from '../../exchange/read.ts'
import { always, type Capability, given, notInDocument, type Plane } from '../plane.ts'
import { noSuchPod } from './client.ts'
import { podFoundations } from './foundations.ts'
import { describePods, podSecrets, podsOf, writePods } from './section.ts'

/** Keys that may belong to one user, and are paced as if they did. Null: an unusual Authorization header. */
const ofTheAccount: ReadonlySet<string | null> = new Set(['full', 'second', 'restricted', null])

const written = ({ pods }: TargetFile): Partial<FileSection<'pods'>> => (typeof pods === 'object' ? pods : {})

const hasId = (json: unknown) => idIn(json) !== null

/** A flavor for CPU pods; without it, the catalog is asked for one. */
const flavor = 'pods: {cpu: {id: FLAVOR_ID, vcpuCount: 2, memory: 4}}'

const recipe = (status: PodStatus): Capability<PodSection> => ({
  says: `a recipe for a pod in ${status}`,
  line: flavor,
  given: ({ gpu, cpu }) => gpu !== null || cpu !== null,
  isWritten: (file) => Object.hasOwn(written(file).statuses ?? {}, status),
})

const volume = (member: 'volume' | 'volumeSecond' | 'volumeElsewhere', says: string): Capability<PodSection> =>
  given(member, says, `pods: {${member}: VOLUME_ID}`)

/** The types of the GPUs of the pods in a list. */
function gpusIn(json: unknown): string[] {
  const ids = listsIn(json)
    .flat()
    .map((pod) => membersOf(membersOf(pod)?.gpu)?.id)
  return ids.filter((id) => typeof id === 'string')
}

/** A line of the section with members of the first value; null if there is no value. */
function lineOf<T>([first]: readonly T[], membersOf: (value: T) => object): string | null {
  return first === undefined ? null : JSON.stringify({ pods: membersOf(first) })
}

/** Something that a target has unless its file declares it absent. */
const unlessAbsent = (says: string): Capability<PodSection> => ({
  says,
  line: null,
  given: () => true,
  isWritten: () => false,
})

const operations = {
  ...operationsOf('pods'),
  /** A request below a pod that is not an operation. */
  otherPodRoute: notInDocument('pods', { method: 'POST', path: '' }),
}

/** Operations that the description does not say to count with the others. */
const uncounted: ReadonlySet<string> = new Set(['listCpuFlavors', 'otherPodRoute'])

/** Pods, and the catalog of hardware. */
export const pods: Plane<PodSection> = {
  name: 'pods',
  title: 'the pod API',
  operations,
  areas: ['pods'],
  accept: 'application/json, application/problem+json',
  capabilities: {
    pods: always('the pod API', 'pods: https://HOST'),
    'pods.gpu': {
      ...given('gpu', 'GPU pods', 'pods: {gpu: {id: GPU_TYPE_ID}}'),
      look: { operation: 'listPods', line: (json) => lineOf(gpusIn(json), (id) => ({ gpu: { id } })) },
    },
    'pods.cpu': {
      ...given('cpu', 'CPU pods', flavor),
      isWritten: (file) => written(file).cpu !== undefined,
    },
    'pods.memory': {
      says: 'CPU pods whose creation names their memory',
      line: flavor,
      given: ({ cpu }) => cpu === 'catalog' || cpu?.memory !== undefined,
      isWritten: (file) => membersOf(written(file).cpu)?.memory !== undefined,
    },
    'pods.persistent': {
      says: 'GPU pods with a persistent mount',
      line: 'pods: {gpu: {id: GPU_TYPE_ID}, persistent: {size: 10, path: /workspace}}',
      given: ({ persistent, gpu }) => persistent !== null && gpu !== null,
    },
    'pods.change': {
      ...given('change', 'a field other than mounts that PATCH can change without harm', 'pods: {change: env}'),
      isWritten: (file) => written(file).change !== undefined,
    },
    catalog: {
      ...given('catalog', 'a list of CPU flavors', 'pods: {catalog: true}'),
      lineWithout: flavor,
      isWritten: (file) => written(file).cpu !== undefined,
      look: {
        operation: 'listCpuFlavors',
        line: (json) => lineOf(listsIn(json).flat(), () => ({ cpu: 'catalog' })),
      },
    },
    volume: volume('volume', 'a network volume that pods may mount'),
    'volume.second': volume('volumeSecond', 'a second network volume in the same data center'),
    'volume.elsewhere': volume('volumeElsewhere', 'a network volume in another data center'),
    template: given('fromTemplate', 'a template that pods are created from', 'pods: {fromTemplate: {id: TEMPLATE_ID}}'),
    registry: given(
      'registry',
      'a registry credential that pods may be created with',
      'pods: {registry: {id: CREDENTIAL_ID}}',
    ),
    'global-networking': given(
      'networked',
      'pods with a global address',
      'pods: {networked: {globalNetworking: true}}',
    ),
    'pod.locked': given(
      'locked',
      'a PATCH that locks a pod, and one that unlocks it',
      'pods: {locked: {lock: {locked: true}, unlock: {locked: false}}}',
    ),
    'pod.provisioning': recipe('PROVISIONING'),
    'pod.starting': recipe('STARTING'),
    'pod.running': recipe('RUNNING'),
    'pod.exited': recipe('EXITED'),
    'pod.error': {
      says: 'a recipe for a pod in ERROR',
      line: 'pods: {statuses: {ERROR: {body: {image: AN_IMAGE_THAT_FAILS}}}}',
      given: ({ recipes }) => recipes.ERROR !== undefined,
    },
    runtime: unlessAbsent('metrics in the runtime of a RUNNING pod'),
    'runtime.ports': unlessAbsent('ports in the runtime of a RUNNING pod'),
    // The caps of the load decide.
    'quota.reachable': unlessAbsent('a pod quota that can be drained within the budget'),
  },
  foundations: Object.values(podFoundations),
  pacing: {
    quotaOf: ({ key }) => `user of ${ofTheAccount.has(key) ? 'full' : key}`,
    allowance: (_, longestMs) => createShownRate(longestMs),
    // The description does not say to whom another key belongs either.
    mayCountElsewhere: ({ operation, key }) => uncounted.has(operation) || (key !== 'full' && key !== 'second'),
    isOfAccount: true,
    refresh: 'listPods',
  },
  creates: {
    kind: 'pod',
    line: { kind: 'pod' },
    create: 'createPod',
    list: 'listPods',
    get: 'getPod',
    remove: 'deletePod',
    removeToo: { operation: 'triggerPodAction', body: { action: 'terminate' } },
    unlock: ({ locked }) => (locked === null ? null : { operation: 'updatePod', body: locked.unlock }),
    listAt: ({ listAt }) => listAt,
    isGone: ({ status }) => status === 'TERMINATED',
  },
  /**
   * If the list does not resemble the API, two more requests follow: the one call whose path is described, and a
   * creation whose body is not an object. Defaults can make a pod of an empty object, and no ledger would name that
   * pod.
   */
  probes: [
    {
      asked: 'the list of pods',
      operation: 'listPods',
      resembles: (json) => listsIn(json).length > 0,
      isAmbiguous: (json) => listsIn(json).flat().length === 0,
    },
    {
      asked: 'the action call for a pod that is not there',
      operation: 'triggerPodAction',
      call: () => ({ ids: { id: noSuchPod }, body: { action: 'stop' } }),
      resembles: hasId,
    },
    {
      asked: 'a creation whose body is an empty list',
      operation: 'createPod',
      call: () => ({ body: [] }),
      resembles: hasId,
    },
  ],
  load: 'pods',
  probeKeys: 'pods.url, to which paths such as /v2/pods are added, and pods.paths',
  read: podsOf,
  write: writePods,
  describe: describePods,
  secrets: podSecrets,
}
