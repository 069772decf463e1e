import { type PodAction, type PodStatus, podActions, tables } from '../../generated/tables.ts'
import {
  canonical,
  changedFields,
  fieldsText,
  livelyFields,
  type Members,
  membersOf,
  type PodView,
  show,
  textIn,
} from '../../harness/exchange/read.ts'
import type { PodShape } from '../../harness/planes/pods/fixtures/types.ts'
import { isPart } from '../pods/creation.ts'
import { afterwards, permits } from '../pods/orders.ts'
import { letterOf } from './after.ts'

/** A pod as the description explains it after the calls so far. Where the description is open, it allows several states. */
export interface PodModel {
  readonly id: string
  /** Its letter in texts, in place of the name that it was created with: `A`. */
  readonly letter: string
  /** As it was created. */
  readonly name: string
  readonly shape: PodShape
  /** As it was read last. */
  seen: PodView
  /** The statuses that it may be in now. */
  statuses: readonly PodStatus[]
  /** The status in which it stays. */
  rest: 'RUNNING' | 'EXITED' | 'TERMINATED'
  /** The fields that only a PATCH changes, as they are now. */
  kept: Members
}

/** All that the walk has done. */
export interface WalkModel {
  readonly pods: PodModel[]
  /** Steps that may still be taken. */
  left: number
  /** False once a PATCH of `locked` was not carried out: the description does not say that PATCH takes it. */
  canLock: boolean
  /** Fields that a PATCH has changed in this walk. */
  readonly patched: Set<string>
}

/** How an action may be answered. */
interface Permission {
  readonly mayBeTaken: boolean
  readonly mayBeRefused: boolean
}

/** A state of a pod that nothing explains. */
export interface Unexplained {
  readonly clause: 'status' | 'kept'
  readonly expected: string
  readonly observed: string
}

export function startModel(steps: number): WalkModel {
  return { pods: [], left: steps, canLock: true, patched: new Set() }
}

/** Adds a pod that was created with these variables, and is on its way to RUNNING or there. */
export function addPod({ pods }: WalkModel, seen: PodView, shape: PodShape, env: Members): PodModel {
  const statuses = seen.status === 'RUNNING' ? (['RUNNING'] as const) : afterwards.restart
  const fields = Object.entries(seen.value).filter(([name]) => !livelyFields.has(name))
  const kept = { ...Object.fromEntries(fields), env }
  const name = textIn(seen.value.name)
  const pod: PodModel = {
    id: seen.id,
    letter: letterOf(pods.length),
    name,
    shape,
    seen,
    statuses,
    rest: 'RUNNING',
    kept,
  }
  pods.push(pod)
  return pod
}

export function isAlive({ rest }: PodModel): boolean {
  return rest !== 'TERMINATED'
}

export function isLocked({ kept }: PodModel): boolean {
  return kept.locked === true
}

/** True if a pod has only one status in which it can be. */
export function isAtRest({ rest, statuses }: PodModel): boolean {
  return statuses.every((status) => status === rest)
}

/** How an action may be answered, by the table of actions and the lock (headings Pod status, Pod). */
export function permissionOf(pod: PodModel, action: PodAction): Permission {
  const permitted = pod.statuses.map((status) => permits(status, action))
  const isHeld = isLocked(pod) && action === 'stop'
  return {
    mayBeTaken: permitted.includes(true) && !isHeld,
    // "When true the pod cannot be stopped or reset": of a restart and the end of a pod that leaves more than one reading.
    mayBeRefused: permitted.includes(false) || (isLocked(pod) && action !== 'start'),
  }
}

/** The actions that are permitted. */
export function permitted(pod: PodModel): readonly PodAction[] {
  return podActions.filter((action) => permissionOf(pod, action).mayBeTaken)
}

/** The actions that must be refused; terminate of a pod that is gone may be answered like the first one. */
export function forbidden(pod: PodModel): readonly PodAction[] {
  return podActions.filter(
    (action) => !permissionOf(pod, action).mayBeTaken && (isAlive(pod) || action !== 'terminate'),
  )
}

/** An action was taken. Until it is carried out, the pod may be seen as it was. */
export function take(pod: PodModel, action: PodAction): void {
  const isEnd = action === 'stop' || action === 'terminate'
  pod.statuses = [...new Set([...(isEnd ? pod.statuses : []), ...afterwards[action]])]
  pod.rest = restOf(action)
}

/** The status that an action leads to. */
function restOf(action: PodAction): PodModel['rest'] {
  const { to } = tables.transitions[action]
  return to === 'EXITED' || to === 'TERMINATED' ? to : 'RUNNING'
}

/** A PATCH was carried out. One of a running container may start it again. */
export function patch(pod: PodModel, body: Members): void {
  const env = 'env' in body ? { env: { ...membersOf(pod.kept.env), ...membersOf(body.env) } } : {}
  pod.kept = { ...pod.kept, ...body, ...env }
}

/** The pod was read in the status in which it stays. */
export function settle(pod: PodModel, seen: PodView | null): void {
  pod.statuses = [pod.rest]
  pod.seen = seen ?? pod.seen
}

/** The part of a pod, as it was read or is gone, that nothing explains; null if there is none. */
export function unexplainedIn(pod: PodModel, status: string, seen: PodView | null): Unexplained | null {
  const shown = status === 'gone' ? 'TERMINATED' : status
  if (!pod.statuses.some((each) => each === shown))
    return { clause: 'status', expected: `status ${pod.statuses.join(' or ')}`, observed: `status ${status}` }
  return seen === null || shown === 'TERMINATED' ? null : unexplainedFields(pod, seen.value)
}

/** The same of the fields of a pod or of an entry of the list, as far as it has them. */
export function unexplainedFields(pod: PodModel, shown: Members): Unexplained | null {
  const { kept, letter, name, statuses } = pod
  const texts = (of: Members, names: readonly string[]) => fieldsText(of, names).replaceAll(name, letter)
  const changed = changedFields(kept, { ...kept, ...shown }, livelyFields).filter((name) => !isKept(name, kept, shown))
  if (changed.length > 0) return { clause: 'kept', expected: texts(kept, changed), observed: texts(shown, changed) }
  const status = statuses.find((each) => each === shown.status)
  // A locked pod may lack the actions that it refuses.
  if (status === undefined || status === 'TERMINATED' || !('actions' in shown) || kept.locked === true) return null
  const permitted = tables.actions[status]
  if (canonical(shown.actions, true) === canonical(permitted, true)) return null
  const text = (actions: unknown) => `actions ${show(actions)} while ${status}`
  return { clause: 'status', expected: text(permitted), observed: text(shown.actions) }
}

function isKept(name: string, kept: Members, shown: Members): boolean {
  if (name === 'env') return isPart(membersOf(kept.env) ?? {}, membersOf(shown.env) ?? {})
  // While a pod runs it may have ports of the platform beside its own.
  return name === 'ports' && (hasAll(kept.ports, shown.ports) || hasAll(shown.ports, kept.ports))
}

/** True if a list has all items of another one. */
function hasAll(list: unknown, items: unknown): boolean {
  return Array.isArray(list) && Array.isArray(items) && items.every((item) => list.includes(item))
}
