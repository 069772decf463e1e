import type { RuleId } from '../../../generated/rules.ts'
import type { PodAction, PodStatus } from '../../../generated/tables.ts'
import { isSuccess } from '../../../harness/exchange/exchange.ts'

/** Facts about the target that a response depends on, beside the body. */
export type Situation =
  | { readonly operation: 'triggerPodAction'; readonly status: PodStatus }
  | {
      readonly operation: 'updatePod'
      readonly kind: 'gpu' | 'cpu'
      /** The mounts of the pod as they are read before the call. */
      readonly mounts: unknown
      /** Ids of other volumes that exist where the pod is. */
      readonly otherVolumes: readonly string[]
      /** True if the volume of the target file is in the data center of the pod. */
      readonly isVolumeThere: boolean
    }
  | { readonly operation: 'createPod' }
  | { readonly operation: 'runJob' | 'runJobSync' }

export type FuzzOperation = Situation['operation']

/** A class of answers: `2xx`, `4xx`, or exactly these statuses. */
export type Answers = '2xx' | '4xx' | readonly number[]

/** The effect of such a response. */
export type After =
  | { readonly kind: 'unchanged' }
  /** The action was carried out. */
  | { readonly kind: 'action'; readonly action: PodAction; readonly to: PodStatus }
  /** These mounts, or, where null, mounts that a reader of odd text may write in its own way. */
  | { readonly kind: 'mounts'; readonly mounts: unknown }
  /** Something new: a pod, a job. */
  | { readonly kind: 'made' }

/** One class of answers that the description allows, why, under which heading, and what is so afterwards. */
export interface Allowed {
  readonly answers: Answers
  readonly reason: string
  readonly source: string
  readonly after: After
  /** Answers to such a body that another row of the ledger judges, with what they leave behind. */
  readonly left?: { readonly to: RuleId; readonly answers: 'any' | readonly number[] }
}

export const unchanged: After = { kind: 'unchanged' }

/** A refusal that leaves everything as it was. */
export function refused(answers: Answers, reason: string, source = 'Errors'): Allowed {
  return { answers, reason, source, after: unchanged }
}

/** True if another row of the ledger judges this response. */
export function isLeft(status: number, allowed: readonly Allowed[]): boolean {
  return allowed.some(({ left }) => left !== undefined && (left.answers === 'any' || left.answers.includes(status)))
}

/** True if a status is in a class. */
export function isIn(status: number, answers: Answers): boolean {
  if (answers === '2xx') return isSuccess(status)
  if (answers === '4xx') return status >= 400 && status < 500 && !rateAndAccess.has(status)
  return answers.includes(status)
}

/** The classes as a text: `400 (it is not JSON; Errors) or 2xx (…)`, each once. */
export function allowedText(allowed: readonly Allowed[]): string {
  const texts = allowed.map(
    ({ answers, reason, source }) =>
      `${typeof answers === 'string' ? answers : answers.join(' or ')} (${reason}; ${source})`,
  )
  return [...new Set(texts)].join(' or ')
}

/** Answers that say nothing about a body. */
const rateAndAccess: ReadonlySet<number> = new Set([401, 403, 429])
