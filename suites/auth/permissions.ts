import { type PodAction, podActions } from '../../generated/tables.ts'
import type { PodOperation } from '../../harness/exchange/exchange.ts'
import { changeOf } from '../../harness/fixtures/change.ts'
import type { Context } from '../../harness/rule/context.ts'
import type { PodStatus } from '../../target/types.ts'
import type { Send } from './operations.ts'

/** A permission of a key, as the target file names it: an operation, or one action of the action call. */
export type Permission = Exclude<PodOperation, 'triggerPodAction'> | PodAction

/** The permissions behind the names of a target file; the action call as a whole stands for each action. */
export function permissionsOf(names: readonly string[]): readonly Permission[] {
  const all = names.flatMap((name) => (name === 'triggerPodAction' ? podActions : [name as Permission]))
  return [...new Set(all)]
}

export function isAction(permission: Permission): permission is PodAction {
  return podActions.some((action) => action === permission)
}

/** A request that needs a permission, on a pod of its own if it changes one. */
export async function requestFor(permission: Permission, context: Context): Promise<Send> {
  const { fixture } = context
  switch (permission) {
    case 'listPods':
      return (client) => client.list()
    case 'listCpuFlavors':
      return (client) => client.cpus()
    case 'createPod': {
      const body = await fixture.body()
      return (client) => client.create(body)
    }
    case 'getPod': {
      const { id } = await fixture.shared('RUNNING')
      return (client) => client.get(id)
    }
    case 'updatePod': {
      const pod = await fixture.pod('EXITED')
      return (client) => client.patch(pod.id, changeOf(context, pod, 'a'))
    }
    case 'deletePod': {
      const { id } = await fixture.fresh()
      return (client) => client.delete(id)
    }
    default: {
      const status = askedIn[permission]
      const { id } = await (status === null ? fixture.fresh() : fixture.pod(status))
      return (client) => client.act(id, permission)
    }
  }
}

/** A status that permits the action; null: any. */
const askedIn: Readonly<Record<PodAction, PodStatus | null>> = {
  start: 'EXITED',
  stop: 'RUNNING',
  restart: 'RUNNING',
  terminate: null,
}
