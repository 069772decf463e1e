import { type Tables, tables } from '../../generated/tables.ts'
import { type SchemaName, type Validator, validators } from '../../generated/validators.ts'
import { ofAction } from './oracle/action.ts'
import type { Allowed, Situation } from './oracle/allowed.ts'
import { ofCreation } from './oracle/creation.ts'
import { ofPatch } from './oracle/patch.ts'
import { readBody } from './oracle/reading.ts'
import { ofSubmission } from './oracle/submission.ts'

/** All responses that the description allows to these bytes in this situation; pure, and never empty. */
export type Oracle = (situation: Situation, bytes: Uint8Array) => readonly Allowed[]

const functions = { readBody, ofAction, ofPatch, ofCreation, ofSubmission }

/** The parts of an oracle; its tests exchange one at a time. */
export type OracleParts = typeof functions & {
  readonly tables: Tables
  readonly validators: Readonly<Record<SchemaName, Validator>>
}

/**
 * Makes an oracle. Where the description is open, all that it accepts is in the answer; a body that is wrong in several
 * ways may be answered for any of them, for no order is stated.
 */
export function createOracle(changed: Partial<OracleParts> = {}): Oracle {
  const parts: OracleParts = { ...functions, tables, validators, ...changed }
  return (situation, bytes) => {
    const { values, refusals } = parts.readBody(bytes)
    const isQueue = situation.operation === 'runJob' || situation.operation === 'runJobSync'
    // The plane of queue-based endpoints knows one status for a body that it does not take.
    const refusing = isQueue ? refusals.map(onQueue) : refusals
    return [...refusing, ...values.flatMap((value) => ofValue(situation, value, parts))]
  }
}

/** The oracle that the rules go by. */
export const classify: Oracle = createOracle()

export type { After, Allowed, FuzzOperation, Situation } from './oracle/allowed.ts'
export { allowedText, allowsNoSuccess, isIn, isLeft } from './oracle/allowed.ts'

function onQueue(refusal: Allowed): Allowed {
  return { ...refusal, answers: refusal.answers === '4xx' ? [400, 413] : [400] }
}

function ofValue(situation: Situation, value: unknown, parts: OracleParts): Allowed[] {
  switch (situation.operation) {
    case 'triggerPodAction':
      return parts.ofAction(value, situation.status, parts.tables, parts.validators.PodActionRequest)
    case 'updatePod':
      return parts.ofPatch(value, situation, parts.validators.MountsRequest)
    case 'createPod':
      return parts.ofCreation(value, parts.validators.PodCreate, situation.isRandom)
    default:
      return parts.ofSubmission(value, parts.validators.JobSubmission)
  }
}
