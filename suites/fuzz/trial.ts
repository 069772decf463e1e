import type { PodAction, PodStatus } from '../../generated/tables.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { raw } from '../../harness/client/body.ts'
import type { CallOptions } from '../../harness/client/caller.ts'
import { membersOf, type PodView, show } from '../../harness/exchange/read.ts'
import { noSuchPod } from '../../harness/planes/pods/client.ts'
import { planeOf } from '../../harness/planes/pods/fixtures/pod-body.ts'
import type { PodShape } from '../../harness/planes/pods/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { orAgain } from '../../harness/rule/outcome.ts'
import { patchablePod, sameMounts, shown } from '../shared/patching.ts'
import { caseText, enumerate, type FuzzCase } from './cases.ts'
import { readBody } from './oracle/reading.ts'
import { type After, type Allowed, classify, type FuzzOperation, type Situation } from './oracle.ts'

/** How cases of one operation are tried on pods of one kind. */
export interface Trial {
  readonly operation: Extract<FuzzOperation, 'triggerPodAction' | 'updatePod'>
  /** Its own pod, at rest. */
  readonly make: () => Promise<PodView>
  readonly situation: (pod: PodView) => Situation
  readonly send: (pod: PodView, bytes: Uint8Array, options?: CallOptions) => Promise<ApiResponse>
  /** Checks what an accepted body has done; the pod to go on with, or null if another one is to be made. */
  readonly accepted: (pod: PodView, after: readonly After[], what: FuzzCase) => Promise<PodView | null>
  /** True if its cases are sent to a pod that does not exist. */
  readonly isPodless: boolean
}

/** Longest wait before a pod is looked at after refusals, ms: time for effects that come late. */
const longestWaitMs = 2_000

/** How long after refusals their pod is looked at, ms. */
export function lookAfterMs({ target }: Context): number {
  return Math.min(longestWaitMs, target.tolerances.visibleMs)
}

/** The responses that are allowed to a body in a trial. */
export function allowedOf(trial: Trial, pod: PodView, bytes: Uint8Array): readonly Allowed[] {
  return trial.isPodless ? anyRefusal : classify(trial.situation(pod), bytes)
}

/** True if responses of this class change something. */
export function isChange({ after }: Allowed): boolean {
  return after.kind !== 'unchanged'
}

/** True if a body may be accepted in a situation, and change something. */
export function mayChange(situation: Situation, { bytes }: FuzzCase): boolean {
  return classify(situation, bytes).some(isChange)
}

/**
 * Fields of a pod that may change at any time once a body was accepted, with those of before: what else than mounts it
 * names, and mounts that a reader may write in its own way. What a PATCH makes of these, and when, is not described.
 */
export function asideAfter(before: ReadonlySet<string>, { bytes }: FuzzCase, after: readonly After[]) {
  const named = readBody(bytes).values.flatMap((value) => Object.keys(membersOf(value) ?? {}))
  const aside = new Set([...before, ...named])
  if (after.every((one) => one.kind === 'mounts' && one.mounts !== null)) aside.delete('mounts')
  return aside
}

/** A pod with the mounts that it has after an accepted body: nothing else was to change. */
export function withMountsOf(before: PodView, after: PodView): PodView {
  return { ...after, value: { ...before.value, mounts: after.value.mounts } }
}

/** The same trial on a pod that does not exist, for targets that make none. */
export function withoutPod(trial: Trial): Trial {
  return { ...trial, isPodless: true, make: async () => ({ id: noSuchPod, status: '', value: {}, exchange: 0 }) }
}

/** Any refusal will do: whether the pod or the body is looked at first is not described. */
const anyRefusal: readonly Allowed[] = (['4xx', [403]] as const).map((answers) => ({
  answers,
  reason: 'no such pod',
  source: 'Errors',
  after: { kind: 'unchanged' },
}))

/** Action calls on a pod in this status. */
export function actionTrial(context: Context, status: 'RUNNING' | 'EXITED'): Trial {
  return {
    operation: 'triggerPodAction',
    isPodless: false,
    make: () => orAgain(() => context.fixture.pod(status)),
    situation: (pod) => ({ operation: 'triggerPodAction', status: pod.status as PodStatus }),
    send: (pod, bytes, options) => context.pods.actWith(pod.id, raw(bytes), options),
    async accepted(pod, after, what) {
      const ends = new Set(after.map((one) => (one.kind === 'action' ? one.to : pod.status)))
      const rest = await context.settle(pod.id, (seen) => ends.has(asStatus(seen)))
      // What the plain action does not do either is for its own row to say.
      if (!rest.settled && !(await isPlainCarriedOut(context, status, after))) return null
      const expected = `status ${[...ends].join(' or ')}`
      context
        .check('carried-out')
        .that(rest.settled, expected, `status ${rest.status} after ${caseText(what)}`, rest.response)
      return null
    },
  }
}

/** True if the action of a body is carried out when it is requested plainly. */
async function isPlainCarriedOut(context: Context, status: 'RUNNING' | 'EXITED', after: readonly After[]) {
  for (const one of after) {
    if (one.kind !== 'action') continue
    const twin = await orAgain(() => context.fixture.pod(status))
    await context.pods.act(twin.id, one.action)
    const { settled } = await context.settle(twin.id, (seen) => asStatus(seen) === one.to)
    if (!settled) return false
  }
  return true
}

/** PATCHes of a pod with this mount; `volumeCenter` is the data center of the volume, as a pod that mounts it shows it. */
export function patchTrial(context: Context, shape: PodShape, volumeCenter: unknown): Trial {
  const { gpu, volumeSecond } = planeOf(context.target)
  const kind = shape.kind ?? (gpu === null ? 'cpu' : 'gpu')
  const otherVolumes = volumeSecond === null ? [] : [volumeSecond]
  return {
    operation: 'updatePod',
    isPodless: false,
    make: () => orAgain(() => patchablePod(context, shape)),
    situation: ({ value: { mounts, dataCenterId } }) => ({
      operation: 'updatePod',
      kind,
      mounts,
      otherVolumes,
      isVolumeThere: typeof dataCenterId === 'string' && dataCenterId === volumeCenter,
    }),
    send: (pod, bytes, options) => context.pods.patch(pod.id, raw(bytes), options),
    async accepted(pod, after, what) {
      // Null if they cannot be foretold.
      const wanted = after.map((one) => (one.kind === 'mounts' ? one.mounts : pod.value.mounts))
      const rest = await shown(context, pod.id, ({ value }) =>
        wanted.some((mounts) => mounts === null || sameMounts(value.mounts, mounts)),
      )
      const seen = rest.pod === null ? `HTTP ${rest.response.status}` : `mounts ${show(rest.pod.value.mounts)}`
      const expected = wanted.map((mounts) => `mounts ${show(mounts)}`).join(' or ')
      context.check('mount').that(rest.settled, expected, `${seen} after ${caseText(what)}`, rest.response)
      return rest.pod
    },
  }
}

/** Valid bodies of the actions, as they are. */
export function actionsAsTheyAre(...actions: readonly PodAction[]): FuzzCase[] {
  return actions.flatMap((action) => enumerate({ action }, 'PodActionRequest').slice(0, 1))
}

/** A terminated pod is gone, or is shown as TERMINATED. */
function asStatus(seen: string): string {
  return seen === 'gone' ? 'TERMINATED' : seen
}

/**
 * Sends a body, and once more if no complete response came: a target may close a connection just as a request is sent
 * on it. Rejects with Unanswered if none came again.
 */
export async function sendTwice(trial: Trial, pod: PodView, bytes: Uint8Array): Promise<ApiResponse> {
  const harmless = !allowedOf(trial, pod, bytes).some(isChange)
  return orAgain(
    () => trial.send(pod, bytes, { harmless }),
    () => trial.send(pod, bytes, { newConnection: true }),
  )
}
