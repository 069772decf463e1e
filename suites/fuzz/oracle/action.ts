import { type RuleId, rules } from '../../../generated/rules.ts'
import type { PodAction, PodStatus, Tables } from '../../../generated/tables.ts'
import type { Validator } from '../../../generated/validators.ts'
import { membersOf } from '../../../harness/exchange/read.ts'
import { type Allowed, refused, refusing } from './allowed.ts'

/**
 * The permitted responses to an action call, by its body and the pod's status (headings Trigger a pod action, Pod
 * status).
 */
export function ofAction(value: unknown, status: PodStatus, tables: Tables, isValid: Validator): Allowed[] {
  const members = membersOf(value)
  if (members === null) return [refused(refusing('notObject'), 'the body is not an object')]
  const action = knownAction(members.action, tables)
  if (!isValid(value)) {
    const invalid = refused([422], 'the body has to be one known action and nothing else', 'Trigger a pod action')
    // Nothing says which of the two is looked at first.
    if (action === null || isPermitted(action, status, tables)) return [invalid]
    return [invalid, { ...conflict(action, status), left: { to: 'pods.action-body.validation-first', answers: 'any' } }]
  }
  if (action === null) return []
  const { answer, to } = tables.transitions[action]
  const row = rowOf(action, status)
  if (!isPermitted(action, status, tables)) {
    return [
      { ...conflict(action, status), ...(row === null ? {} : { left: { to: row, answers: [200, answer, 409] } }) },
    ]
  }
  const reason = `${status} permits ${action}`
  const left = row === null ? {} : { left: { to: row, answers: [409, ...successes.filter((one) => one !== answer)] } }
  return [{ answers: [answer], reason, source: 'Pod status', after: { kind: 'action', action, to }, ...left }]
}

/** Statuses of a success. */
const successes = [200, 201, 202, 204]

/** The row of the table of actions that says whether a status permits an action; null if there is none. */
function rowOf(action: PodAction, status: PodStatus): RuleId | null {
  const id = `pods.action.${status.toLowerCase()}.${action}`
  return rules.find((row) => row.id === id)?.id ?? null
}

function conflict(action: PodAction, status: PodStatus): Allowed {
  return refused([409], `${status} does not permit ${action}`, 'Pod status')
}

function isPermitted(action: PodAction, status: PodStatus, { actions }: Tables): boolean {
  return actions[status].includes(action)
}

function knownAction(value: unknown, { transitions }: Tables): PodAction | null {
  return typeof value === 'string' && Object.hasOwn(transitions, value) ? (value as PodAction) : null
}
