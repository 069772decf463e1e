import type { RuleId } from '../../../generated/rules.ts'
import {
  type Answer,
  type ConstraintName,
  constraints,
  type PodAction,
  type PodStatus,
} from '../../../generated/tables.ts'
import { constraintOf, type ValidationFailure, type Validator } from '../../../generated/validators.ts'
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
  | {
      readonly operation: 'createPod'
      /** True if its members may name what is not on offer, or what a creation does not have, beside other faults. */
      readonly isRandom?: boolean
    }
  | { readonly operation: 'runJob' | 'runJobSync' }

export type FuzzOperation = Situation['operation']

/** A class of statuses: `2xx`, `4xx`, or exactly these. */
export type Statuses = '2xx' | '4xx' | readonly number[]

/** The effect of such a response. */
export type After =
  | { readonly kind: 'unchanged' }
  /** The action was carried out. */
  | { readonly kind: 'action'; readonly action: PodAction; readonly to: PodStatus }
  /** These mounts, or, where null, mounts with unusual text, which a reader may write in its own way. */
  | { readonly kind: 'mounts'; readonly mounts: unknown }
  /** Something new: a pod, a job. */
  | { readonly kind: 'made' }

/** Responses that the description allows: their statuses, the reason, its heading, and the effect of the request. */
export interface Allowed {
  readonly answers: Statuses
  readonly reason: string
  readonly source: string
  readonly after: After
  /** Statuses for such a body that another row of the ledger judges, with the effect of the request. */
  readonly left?: { readonly to: RuleId; readonly answers: 'any' | readonly number[] }
}

const unchanged: After = { kind: 'unchanged' }

/** A refusal that leaves everything as it was. */
export function refused(answers: Statuses, reason: string, source = 'Errors'): Allowed {
  return { answers, reason, source, after: unchanged }
}

/** True if another row of the ledger judges this response. */
export function isLeft(status: number, allowed: readonly Allowed[]): boolean {
  return allowed.some(({ left }) => left !== undefined && (left.answers === 'any' || left.answers.includes(status)))
}

/** True if no success is allowed, by any row of the ledger. */
export function allowsNoSuccess(allowed: readonly Allowed[]): boolean {
  return allowed.every(
    ({ answers, left }) => left === undefined && (answers === '4xx' || (answers !== '2xx' && !answers.some(isSuccess))),
  )
}

/** True if a status is in a class. */
export function isIn(status: number, answers: Statuses): boolean {
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

/** Statuses that say nothing about a body. */
const rateAndAccess: ReadonlySet<number> = new Set([401, 403, 429])

/**
 * The failures of a value. A member of a wrong type, or below its minimum, does not break a constraint on its value as
 * well.
 */
export function failuresOf(value: unknown, isValid: Validator): readonly ValidationFailure[] {
  const failures = isValid(value) ? [] : (isValid.errors ?? [])
  const isPlain = (one: ValidationFailure) => one.keyword === 'not' || constraintOf(one) === null
  const wrong = new Set(failures.filter(isPlain).map(({ instancePath }) => instancePath))
  return failures.filter((one) => isPlain(one) || !wrong.has(one.instancePath))
}

/**
 * How a body with this failure may be refused: as the document says beside a named constraint, else with 422. The
 * reason is the text of the constraint if it has one.
 */
export function refusalOf(failure: ValidationFailure, reason: string, source: string): Allowed {
  const name = constraintOf(failure)
  const text = failure.keyword === 'not' ? sayConstraint(failure) : reason
  return refused(name === null ? [422] : refusing(name), text, source)
}

/** True if a body with this failure may be accepted. */
export function mayBeTaken(failure: ValidationFailure): boolean {
  const name = constraintOf(failure)
  return name !== null && constraints[name].some((answer) => answer === '2XX' || Number(answer) < 300)
}

/** The statuses that may refuse a request for breaking a named constraint. */
export function refusing(name: ConstraintName): Statuses {
  const answers: readonly Answer[] = constraints[name]
  if (answers.includes('4XX')) return '4xx'
  return answers.filter((answer): answer is number => typeof answer === 'number' && answer >= 400).sort()
}

function sayConstraint({ parentSchema }: ValidationFailure): string {
  const text = String(parentSchema.description)
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '')
}
