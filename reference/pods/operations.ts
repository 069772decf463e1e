import type { Caller } from '../auth/accounts.ts'
import { type Answer, emptyAnswer, jsonAnswer, textAnswer } from '../http/json.ts'
import { Refusal } from '../http/refusal.ts'
import type { PodOperation } from '../operations.ts'
import { checkCapacity } from './create.ts'
import type { PodAction, StoredPod } from './pod.ts'
import { podText } from './present.ts'
import type { PodService } from './service.ts'

/** An authenticated, authorised request; `id` is empty if the path names no pod. */
interface Call {
  readonly caller: Caller
  readonly id: string
  /** The body as JSON, of the operations that read one. */
  readonly body: unknown
}

type Handler = (call: Call, service: PodService) => Answer

/**
 * The operations of the pod plane, each in one go after the body was read, so that requests at the same time
 * have an order.
 */
export const operations: { readonly [O in PodOperation]: Handler } = {
  listPods({ caller }, service) {
    const { parts, style } = service
    const pods = parts.listPods(caller, service).map((pod) => parts.presentPod(pod, service))
    return jsonAnswer(200, style.listShape === 'object' ? { pods, ...extra(pods.length, service) } : pods, service)
  },

  createPod({ caller, body }, service) {
    const pod = service.parts.createPod(body, caller, service)
    return podAnswer(service.style.createStatus, pod, service)
  },

  getPod({ caller, id }, service) {
    const pod = service.parts.findPod(id, caller, service)
    if (pod.status === 'TERMINATED' && service.style.terminated === 'gone') throw gone(404)
    return podAnswer(200, pod, service)
  },

  updatePod({ caller, id, body }, service) {
    const { parts, style } = service
    const pod = parts.findPod(id, caller, service)
    if (pod.status === 'TERMINATED') throw gone(style.terminatedChange)
    parts.patchPod(pod, body, service)
    return podAnswer(style.updateStatus, pod, service)
  },

  deletePod({ caller, id }, service) {
    const { parts, style } = service
    const pod = parts.findPod(id, caller, service)
    if (pod.status === 'TERMINATED') {
      if (style.terminatedDelete !== 204) throw gone(style.terminatedDelete)
      return emptyAnswer(204)
    }
    const refusal = parts.permit(pod, 'terminate', service)
    if (refusal !== null) throw refusal
    parts.transition(pod, 'terminate', service)
    if (style.deleteBody === 'pod') return podAnswer(style.deleteStatus, pod, service)
    return style.deleteBody === 'none' ? emptyAnswer(style.deleteStatus) : jsonAnswer(style.deleteStatus, {}, service)
  },

  triggerPodAction({ caller, id, body }, service) {
    const { parts, style, tables } = service
    const pod = parts.findPod(id, caller, service)
    if (pod.status === 'TERMINATED') throw gone(terminatedActionStatus(service))
    const known = knownAction(body, service)
    const early = style.validationFirst || known === null ? null : parts.permit(pod, known, service)
    if (early !== null) throw early
    parts.validate('PodActionRequest', body, service)
    const action = knownAction(body, service)
    // If the constraint on it is not enforced, an unknown action does nothing.
    if (action === null) return podAnswer(200, pod, service)
    const refusal = parts.permit(pod, action, service)
    if (refusal !== null) throw refusal
    if (action === 'start') checkCapacity(service)
    parts.transition(pod, action, service)
    const { answer } = tables.transitions[action]
    return answer === 204 ? emptyAnswer(answer) : podAnswer(answer, pod, service)
  },

  listCpuFlavors(_call, service) {
    const cpus = [...service.flavors.values()]
    const { catalogShape } = service.style
    return jsonAnswer(200, catalogShape === 'object' ? { cpus, ...extra(cpus.length, service) } : cpus, service)
  },
}

function podAnswer(status: number, pod: StoredPod, service: PodService): Answer {
  return textAnswer(status, podText(pod, service), service)
}

function gone(status: number): Refusal {
  return new Refusal(status, status === 404 ? 'resource not found' : 'the pod is terminated')
}

function terminatedActionStatus({ style }: PodService): number {
  if (style.terminatedAction !== 'auto') return style.terminatedAction
  return style.terminated === 'gone' ? 404 : 409
}

/** The action that a body names, however wrong the body is otherwise. */
function knownAction(body: unknown, { tables }: PodService): PodAction | null {
  if (typeof body !== 'object' || body === null || !('action' in body)) return null
  const { action } = body
  return typeof action === 'string' && Object.hasOwn(tables.transitions, action) ? (action as PodAction) : null
}

function extra(total: number, { style }: PodService): Record<string, unknown> {
  return style.extraFields ? { total } : {}
}
