import { runContainer } from '../containers/containers.ts'
import { Refusal } from '../http/refusal.ts'
import type { Style } from '../style.ts'
import type { PodAction, PodStatus, StoredPod } from './pod.ts'
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

/** Sets the status of a pod and what follows from it at once. */
export function enter(pod: StoredPod, status: PodStatus, service: PodService): void {
  const { clock, style } = service
  const nowMs = clock.now()
  const isStarted = status === 'RUNNING' && (style.startedAtSet === 'running' || pod.status !== 'STARTING')
  pod.status = status
  pod.containerStartedAtMs = status === 'RUNNING' ? nowMs : null
  if (isStarted || (status === 'STARTING' && style.startedAtSet === 'starting')) pod.startedAtMs = nowMs
  if (status === 'EXITED' && style.startedAtWhenExited === 'null') pod.startedAtMs = null
  runContainer(pod, service)
}

/** PROVISIONING, then STARTING, then RUNNING or ERROR, each for as long as `life` says; what takes 0 ms is skipped. */
export function provision(pod: StoredPod, service: PodService): void {
  service.parts.enter(pod, 'PROVISIONING', service)
  after(service.life.provisioningMs, pod, service, () => {
    if (!isUnpullable(pod) || service.style.unpullable !== 'PROVISIONING') beginStarting(pod, service)
  })
}

/** The action start, on a pod that is EXITED or in ERROR. */
function start(pod: StoredPod, service: PodService): void {
  const { life, style } = service
  if (style.startStatus === 'PROVISIONING') provision(pod, service)
  else if (style.startStatus === 'as-before') after(life.startDelayMs, pod, service, () => beginStarting(pod, service))
  else if (style.startStatus === 'RUNNING' && !isErrorImage(pod, service)) arrive(pod, service)
  else beginStarting(pod, service)
}

/** The action stop: the status changes after `life.stopMs`, and what was under way is called off. */
function stop(pod: StoredPod, service: PodService): void {
  if (pod.pending?.step === 'stop') return
  const exited = service.tables.transitions.stop.to
  after(service.life.stopMs, pod, service, () => service.parts.enter(pod, exited, service), 'stop')
}

/** The action restart: the container starts again in place. */
export function restart(pod: StoredPod, service: PodService): void {
  const { life, style } = service
  const startedAtMs = pod.startedAtMs
  const keepStartedAt = () => {
    if (style.startedAtOnRestart === 'kept') pod.startedAtMs = startedAtMs
  }
  const again = () => {
    arrive(pod, service)
    keepStartedAt()
  }
  if (style.restartStatus === 'STARTING') {
    service.parts.enter(pod, 'STARTING', service)
    keepStartedAt()
  }
  const isLater = style.restartStatus === 'STARTING' || style.restartApplied === 'later'
  after(isLater ? life.restartMs : 0, pod, service, again)
}

/** The action terminate, and DELETE: the pod is gone for good, or shown as TERMINATED if the style keeps it. */
function terminate(pod: StoredPod, service: PodService): void {
  const { life, store, style, tables } = service
  callOff(pod)
  service.parts.enter(pod, tables.transitions.terminate.to, service)
  if (style.terminated === 'shown-for-a-while') after(life.terminatedShownMs, pod, service, () => store.remove(pod))
  else if (!isTerminatedKept(service)) store.remove(pod)
}

function isTerminatedKept({ style }: PodService): boolean {
  return (
    style.terminated === 'shown' ||
    style.terminatedAction === 409 ||
    style.terminatedChange !== 404 ||
    style.terminatedDelete !== 404
  )
}

/** Puts a new pod into a status, as if it had reached it by itself; from STARTING it goes on. */
export function place(pod: StoredPod, status: PodStatus, service: PodService): void {
  callOff(pod)
  // A pod that has exited was running before.
  if (status === 'EXITED') service.parts.enter(pod, 'RUNNING', service)
  if (status === 'STARTING') beginStarting(pod, service)
  else service.parts.enter(pod, status, service)
}

function beginStarting(pod: StoredPod, service: PodService): void {
  service.parts.enter(pod, 'STARTING', service)
  after(service.life.startingMs, pod, service, () => arrive(pod, service))
}

function arrive(pod: StoredPod, service: PodService): void {
  const { parts, style, tables } = service
  if (parts.isPulled(pod, service)) {
    parts.enter(pod, isErrorImage(pod, service) ? 'ERROR' : tables.transitions.start.to, service)
  } else if (style.unpullable !== 'STARTING')
    parts.enter(pod, style.unpullable === 'EXITED' ? 'EXITED' : 'ERROR', service)
}

/** False if the image of a pod cannot be pulled. */
export function isPulled(pod: StoredPod, _service: PodService): boolean {
  return !isUnpullable(pod)
}

/** Nothing can be pulled from a registry below `.invalid`, a name that does not exist (RFC 2606). */
export function isUnpullable({ image }: Pick<StoredPod, 'image'>): boolean {
  return /^[^/]*\.invalid(:\d+)?\//.test(image)
}

function isErrorImage(pod: StoredPod, { life }: PodService): boolean {
  return pod.image.startsWith(life.errorImage)
}

/** Runs a step after `ms`, at once if that is 0; a pod has one step before it at a time. */
function after(
  ms: number,
  pod: StoredPod,
  { clock }: PodService,
  run: () => void,
  step: 'life' | 'stop' = 'life',
): void {
  callOff(pod)
  if (ms === 0) {
    run()
    return
  }
  const cancel = clock.schedule(clock.now() + ms, () => {
    pod.pending = null
    run()
  })
  pod.pending = { step, cancel }
}

function callOff(pod: StoredPod): void {
  pod.pending?.cancel()
  pod.pending = null
}
