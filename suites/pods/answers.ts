import { podRequired } from '../../generated/tables.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import { headerOf, isSuccess, type WireResponse } from '../../harness/exchange/exchange.ts'
import type { PodView } from '../../harness/exchange/read.ts'
import { scarcityText } from '../../harness/planes/pods/access.ts'
import { retryOnNoCapacity } from '../../harness/planes/pods/fixtures/creating.ts'
import type { GoneId } from '../../harness/planes/pods/fixtures/types.ts'
import type { Check } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'

/** The full pod that start, stop and restart answer (heading Trigger a pod action). */
export function expectFullPod(check: Check, response: ApiResponse): PodView {
  const pod = check.pod(response)
  const missing = podRequired.filter((name) => !(name in pod.value))
  check.that(missing.length === 0, 'every required field of a pod', `no ${missing.join(', ')}`, pod)
  return pod
}

/** A 204 leaves nothing behind that a client would read as a body. */
export function expectNoBody(check: Check, response: ApiResponse): void {
  const traces = bodyTraces({ headers: response.exchange.response?.headers ?? [], body: response.bytes })
  check.that(traces === null, 'no body', traces ?? 'no body', response)
}

/** A read shows that a pod is gone: 404, or TERMINATED. */
export function expectTerminated(check: Check, response: ApiResponse): void {
  check.status(response, 404, 200)
  if (response.status === 404) return
  const pod = check.pod(response)
  check.that(pod.status === 'TERMINATED', '404 or status TERMINATED', `status ${pod.status}`, pod)
}

/**
 * Ends the rule as inconclusive if something else may explain the response to a call on a pod that is not there: the form of
 * an invented id, or the status of a terminated pod.
 */
export function inconclusiveIfOtherReason(
  { inconclusive }: Context,
  { origin }: GoneId,
  { status }: ApiResponse,
): void {
  if (origin === 'altered' && (status === 400 || status === 422)) {
    inconclusive(`an invented id was answered ${status}, as one of a wrong form may be`)
  }
  if (origin === 'terminated' && status === 409) {
    inconclusive('the id of a terminated pod was answered 409, as TERMINATED may be')
  }
}

/** A sign of a body in a response: its bytes, or a header that announces some. Null if there is none. */
export function bodyTraces({ headers, body }: Pick<WireResponse, 'headers' | 'body'>): string | null {
  if (body.length > 0) return `a body of ${pluralize(body.length, 'byte')}`
  const length = headerOf(headers, 'content-length')
  if (length !== null && length.trim() !== '0') return `Content-Length ${length}`
  const coding = headerOf(headers, 'transfer-encoding')
  return coding === null ? null : `Transfer-Encoding ${coding}`
}

/** Actions by which a right call is tried, in turn: terminate is permitted in every status. */
const tried = ['stop', 'restart', 'terminate'] as const

/**
 * The positive twin of refused action calls: a right one works on the pod, so they were refused for what was wrong with
 * them. Begins with the action that was asked for. Ends the rule as inconclusive if none works.
 */
export async function expectAccepted({ pods, inconclusive }: Context, { id }: PodView, asked = 'stop'): Promise<void> {
  const answers: string[] = []
  for (const action of new Set([asked, ...tried])) {
    const { status } = await pods.act(id, action)
    if (isSuccess(status)) return
    answers.push(`${action} ${status}`)
  }
  inconclusive(`no right action call works, so a refusal proves nothing: ${answers.join(', ')}`)
}

/**
 * Asks for an action that takes compute; for a while again if there is none. Ends the rule as inconclusive if a new pod of
 * the same kind is refused as well; otherwise the refusal counts.
 */
export async function retryWhileScarce(
  context: Context,
  pod: PodView,
  ask: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const { clock, fixture, inconclusive, lacksCapacity, pods } = context
  const response = await retryOnNoCapacity(lacksCapacity, clock, ask)
  if (!lacksCapacity(response)) return response
  if (lacksCapacity(await pods.create(await fixture.body({ kind: kindOf(pod) })))) {
    inconclusive(scarcityText(response, ' for this action, nor for a new pod'))
  }
  return response
}

/** A RUNNING pod once it is stopped. Ends the rule as blocked if stop does not work. */
export async function stopPod({ blocked, pods, settle }: Context, id: string): Promise<PodView> {
  const { status } = await pods.act(id, 'stop')
  if (status !== 200) blocked('pods.action.running.stop', `stop was answered ${status}`)
  const rest = await settle(id, (seen) => seen === 'EXITED')
  if (rest.pod?.status !== 'EXITED') return blocked('pods.action.running.stop', 'the pod did not become EXITED')
  return rest.pod
}

/** An EXITED pod once it is started and RUNNING. Ends the rule as blocked if start does not work. */
export async function startPod(context: Context, pod: PodView): Promise<PodView> {
  const { blocked, pods, settleStarted } = context
  const started = await retryWhileScarce(context, pod, () => pods.act(pod.id, 'start'))
  const rest = await settleStarted(pod.id)
  if (rest.pod !== null && rest.status === 'RUNNING') return rest.pod
  return blocked('pods.action.exited.start', `start was answered ${started.status}, and the pod is ${rest.status}`)
}

/**
 * Ends the rule as inconclusive if a new pod does not leave PROVISIONING in time either: then there is no capacity for
 * a pod that stays there.
 */
export async function inconclusiveIfScarce(
  { fixture, inconclusive, pods, settle }: Context,
  pod: PodView,
): Promise<void> {
  const id = await fixture.createdId(await pods.create(await fixture.body({ kind: kindOf(pod) })))
  const rest = id === null ? null : await settle(id, (status) => status !== 'PROVISIONING')
  if (rest?.settled !== true) inconclusive('the pod stayed in PROVISIONING, as a new one does: there is no capacity')
}

export function kindOf({ value }: PodView): 'gpu' | 'cpu' {
  return 'cpu' in value ? 'cpu' : 'gpu'
}
