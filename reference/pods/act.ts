import { Refusal } from '../http/refusal.ts'
import type { Style } from '../style.ts'
import { restart, start, stop, terminate } from './lifecycle.ts'
import type { PodAction, StoredPod } from './pod.ts'
import type { PodService } from './service.ts'

const STEPS = { start, stop, restart, terminate } as const

/** Why the status of the pod (409) or its lock does not permit the action, by the table under the heading Pod status. */
export function permit(pod: StoredPod, action: PodAction, { style, tables }: PodService): Refusal | null {
  if (!tables.actions[pod.status].includes(action)) {
    return new Refusal(409, `the status ${pod.status} does not permit ${action}`)
  }
  if (pod.locked && isRefusedByLock(action, style)) {
    return new Refusal(style.lockedRefusal, `the pod is locked, which does not permit ${action}`)
  }
  return null
}

/** Carries out an action that is permitted. */
export function transition(pod: StoredPod, action: PodAction, service: PodService): void {
  STEPS[action](pod, service)
}

/** The actions that the pod publishes. */
export function actionsOf(pod: StoredPod, { style, tables }: PodService): PodAction[] {
  if (pod.status === 'TERMINATED' && style.terminatedActions === 'terminate') return ['terminate']
  const permitted = tables.actions[pod.status]
  const isHidden = pod.locked && style.lockedActions === 'without'
  const actions = isHidden ? permitted.filter((action) => !isRefusedByLock(action, style)) : permitted.slice()
  return style.actionsOrder === 'table' ? actions : actions.reverse()
}

function isRefusedByLock(action: PodAction, style: Style): boolean {
  if (action === 'restart') return style.lockedRestart === 'refuse'
  if (action === 'terminate') return style.lockedTerminate === 'refuse'
  return action === 'stop'
}
