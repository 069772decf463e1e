import { type PodAction, podActions } from '../../generated/tables.ts'
import type { PodOperation } from '../../harness/exchange/exchange.ts'
import { podPermissions } from '../../target/permissions.ts'

/** A permission of a key, as the target file names it: an operation, or one action of the action call. */
export type Permission = Exclude<PodOperation, 'triggerPodAction'> | PodAction

/** The permissions about pods behind the names of a target file; the action call as a whole stands for each action. */
export function permissionsOf(names: readonly string[]): readonly Permission[] {
  const all = podPermissions(names).flatMap((name) => (name === 'triggerPodAction' ? podActions : [name as Permission]))
  return [...new Set(all)]
}

export function isAction(permission: Permission): permission is PodAction {
  return podActions.some((action) => action === permission)
}
