import type { OperationId } from '../../generated/operations.ts'
import { podActions } from '../../generated/tables.ts'
import { type Members, membersOf, show } from '../../harness/exchange/read.ts'
import type { PodShape } from '../../harness/planes/pods/fixtures/types.ts'
import type { StoredPod } from '../../reference/index.ts'
import { patchMounts } from '../../reference/pods/patch.ts'
import type { Service } from '../../reference/service.ts'
import { mountsMoved } from '../../suites/shared/patching.ts'
import { embeddedTarget } from '../instance.ts'

/** A request that the reference gets. */
export interface Sent {
  /** Its JSON; undefined if it is not JSON. */
  readonly body: unknown
  readonly url: string
  /** The reference that gets it; it has served another request before. */
  readonly service: () => Service
}

/** The finding on a refused request that is carried out. */
interface Effect {
  readonly clause: string
  readonly observed: string
  readonly says: string
}

/** Facts about an operation whose rules are tables. `Branch` is that of its arrangement in `suites/`. */
interface TableOperation<Branch = unknown> {
  /** A branch in a few words. */
  branchName(branch: Branch): string
  /** True for a request of a branch. */
  isOf(branch: Branch, sent: Sent): boolean
  /** The valid bodies that cases are made of; undefined if there are too many, and a body shows by itself its case. */
  validBodies?(branch: Branch): readonly Members[]
  /** A valid body, and the body of the pod that it is sent to, on the reference. */
  example(branch: Branch): { readonly body: Members; readonly pod?: Members }
  /** The finding if this case is refused and carried out; null if it would show nothing. */
  effect(name: string, branch: Branch, body: unknown): Effect | null
  /** Carries it out, if another way than without constraints. */
  carryOut?(sent: Sent): unknown
}

const createPod: TableOperation<PodShape> = {
  branchName: shapeName,
  isOf({ kind, mount = 'none' }, { body }) {
    const members = membersOf(body) ?? {}
    return (kind === undefined || kind in members) && (mount === 'none' || mount in (membersOf(members.mounts) ?? {}))
  },
  example: (shape) => ({ body: creationOf(shape) }),
  effect: (name) => ({ clause: 'no-pod', observed: `a pod of: ${name}`, says: 'a pod is created' }),
}

const updatePod: TableOperation<PodShape> = {
  branchName: shapeName,
  isOf({ kind = 'gpu', mount = 'none' }, { service, url }) {
    const pod = podIn(url, service())
    return pod !== undefined && kind in pod.hardware && (mount === 'none' ? isBare(pod) : mount in pod.mounts)
  },
  validBodies: (shape) => [movedIn(shape)],
  example: (shape) => ({ pod: creationOf(shape), body: movedIn(shape) }),
  effect(_, shape, body) {
    const { mounts = {} } = creationOf(shape)
    const hardware = { [shape.kind ?? 'gpu']: {} }
    const service = { parts: { enforces: () => false }, style: {} }
    const after = patchMounts({ hardware, mounts } as never, membersOf(body)?.mounts as never, service as never)
    if (show(after) === show(mounts)) return null
    return { clause: 'unchanged', observed: `mounts ${show(after)}`, says: 'the pod has other mounts' }
  },
}

const triggerPodAction: TableOperation = {
  branchName: () => '',
  isOf: () => true,
  validBodies: () => podActions.map((action) => ({ action })),
  example: () => ({ pod: creationOf({}), body: { action: 'stop' } }),
  effect: () => ({ clause: 'unchanged', observed: 'args "refused"', says: 'the pod has other arguments' }),
  carryOut({ url, service }) {
    const pod = podIn(url, service())
    if (pod !== undefined) pod.args = 'refused'
  },
}

const runJob: TableOperation<string> = {
  branchName: (operation) => operation,
  isOf: () => true,
  validBodies: () => [{ input: {} }],
  example: () => ({ body: { input: {} } }),
  // queue.body.no-job judges the effects of refused submissions.
  effect: () => null,
}

const createEndpoint: TableOperation = {
  branchName: () => '',
  isOf: () => true,
  example: () => ({
    body: { name: 'a', templateId: 'tpl-worker', gpuTypeIds: ['gpu-a'], workersMin: 0, workersMax: 1, idleTimeout: 5 },
  }),
  effect: () => ({
    clause: 'not-created',
    observed: 'the endpoint whose creation was refused',
    says: 'an endpoint is created',
  }),
}

const tableOperations = { createEndpoint, createPod, updatePod, triggerPodAction, runJob, runJobSync: runJob }

/** Throws for an operation that no table is about. */
export function tableOperation(operation: OperationId): TableOperation {
  const known: Readonly<Partial<Record<OperationId, TableOperation<never>>>> = tableOperations
  const found = known[operation]
  if (found === undefined) throw new Error(`${operation} has a table but no entry in proof/tables/operations.ts`)
  return found as TableOperation
}

function podIn(url: string, { store }: Service): StoredPod | undefined {
  return store.get(new URL(url).pathname.split('/')[3] ?? '')
}

function isBare({ mounts }: StoredPod): boolean {
  return Object.keys(mounts).length === 0
}

function shapeName({ kind, mount }: PodShape): string {
  return [kind, mount].filter((one) => one !== undefined).join(' ')
}

/** The body of a creation that the reference accepts. */
function creationOf({ kind = 'gpu', mount = 'none', more = {} }: PodShape): Members {
  const hardware = { gpu: { gpu: { id: 'gpu-a', count: 1 } }, cpu: { cpu: { id: 'cpu3c', vcpuCount: 2, memory: 4 } } }
  const mounts = {
    none: {},
    network: { mounts: { network: [{ volumeId: 'vol-1', path: '/workspace' }] } },
    persistent: { mounts: { persistent: { size: 10, path: '/workspace' } } },
  }
  return { name: 'a', image: 'b', ...hardware[kind], ...mounts[mount], ...more }
}

/** The PATCH that moves the mount of a pod on the reference. */
function movedIn({ mount = 'none' }: PodShape): Members {
  return mount === 'none' ? {} : { mounts: mountsMoved({ target: embeddedTarget() }, mount) }
}
