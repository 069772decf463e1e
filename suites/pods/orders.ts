import { type PodAction, type PodStatus, tables } from '../../generated/tables.ts'

/** An action that was sent beside others, and whether it was carried out. */
interface RacedAction {
  readonly action: PodAction
  readonly isDone: boolean
}

/** The statuses in which a pod may be once an action is carried out, until another one is. */
export const afterwards: Readonly<Record<PodAction, readonly PodStatus[]>> = {
  // A platform may show the former status for a while.
  start: ['EXITED', 'PROVISIONING', 'STARTING', 'RUNNING'],
  stop: ['EXITED'],
  // The status after a restart is not shown.
  restart: ['EXITED', 'PROVISIONING', 'STARTING', 'RUNNING'],
  terminate: ['TERMINATED'],
}

/**
 * True if which actions were carried out is consistent with some order of them: each in a status that permits it (heading Pod
 * status), and each refused one in a status that does not. `statuses`: those in which the pod may be before them.
 */
export function isConsistent(raced: readonly RacedAction[], statuses: readonly PodStatus[]): boolean {
  if (raced.length === 0) return true
  return raced.some(({ action, isDone }, at) => {
    const others = raced.toSpliced(at, 1)
    const before = statuses.filter((status) => permits(status, action) === isDone)
    if (before.length === 0) return false
    return isDone ? isConsistent(others, afterwards[action]) : before.some((status) => isConsistent(others, [status]))
  })
}

/** True if the table of actions permits an action in a status; in TERMINATED it names none. */
export function permits(status: PodStatus, action: PodAction): boolean {
  return status !== 'TERMINATED' && tables.actions[status].some((one) => one === action)
}
