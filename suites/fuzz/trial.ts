import type { CallOptions } from '../../harness/client/headers.ts'
import type { Reply } from '../../harness/client/reply.ts'
import { membersOf, type PodView } from '../../harness/exchange/read.ts'
import { noSuchPod } from '../../harness/planes/pods/client.ts'
import type { Context } from '../../harness/rule/context.ts'
import type { FuzzCase } from './cases.ts'
import { readBody } from './oracle/reading.ts'
import { type After, type Allowed, classify, type FuzzOperation, type Situation } from './oracle.ts'

/** How cases of one operation are tried on pods of one kind. */
export interface Trial {
  readonly operation: Extract<FuzzOperation, 'triggerPodAction' | 'updatePod'>
  /** Its own pod, at rest. */
  readonly make: () => Promise<PodView>
  readonly situation: (pod: PodView) => Situation
  readonly send: (pod: PodView, bytes: Uint8Array, options?: CallOptions) => Promise<Reply>
  /** Checks what an accepted body has done; the pod to go on with, or null where another one is to be made. */
  readonly accepted: (pod: PodView, after: readonly After[], what: FuzzCase) => Promise<PodView | null>
  /** True where its cases are sent to a pod that does not exist. */
  readonly isPodless: boolean
}

/** Longest wait before a pod is looked at after refusals, ms: time for effects that come late. */
const longestWaitMs = 2_000

/** How long after refusals their pod is looked at, ms. */
export function lookAfterMs({ target }: Context): number {
  return Math.min(longestWaitMs, target.tolerances.visibleMs)
}

/** The classes of answers that are allowed to a body in a trial. */
export function allowedOf(trial: Trial, pod: PodView, bytes: Uint8Array): readonly Allowed[] {
  return trial.isPodless ? anyRefusal : classify(trial.situation(pod), bytes)
}

/** True if responses of this class change something. */
export function isChange({ after }: Allowed): boolean {
  return after.kind !== 'unchanged'
}

/**
 * Fields of a pod that may change at any time once a body was accepted, with those of before: what else than mounts it
 * names, and mounts that a reader may write in its own way. What a PATCH makes of these, and when, is not described.
 */
export function asideAfter(
  before: ReadonlySet<string>,
  { bytes }: FuzzCase,
  after: readonly After[],
): ReadonlySet<string> {
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
  return { ...trial, isPodless: true, make: async () => nobody }
}

const nobody: PodView = { id: noSuchPod, status: '', value: {}, exchange: 0 }

/** Any refusal will do: whether the pod or the body is looked at first is not described. */
const anyRefusal: readonly Allowed[] = (['4xx', [403]] as const).map((answers) => ({
  answers,
  reason: 'no such pod',
  source: 'Errors',
  after: { kind: 'unchanged' },
}))
