import { constraints } from '../../generated/tables.ts'
import { constraintOf, type ValidationFailure } from '../../generated/validators.ts'
import type { Common, RequestSchema } from '../common.ts'
import type { Style } from '../style.ts'
import { Refusal } from './refusal.ts'

/** Tells whether a constraint on a request is enforced. */
interface Enforcing {
  readonly parts: { enforces(constraint: string, body: unknown): boolean }
}

/** The status for a failure that no constraint of the API document names (heading Errors). */
const usualStatus: { readonly [S in RequestSchema]: number | ((style: Style) => number) } = {
  PodCreate: 422,
  PodUpdate: 422,
  PodActionRequest: 422,
  JobSubmission: 400,
  EndpointCreate: ({ endpointInvalid }) => endpointInvalid,
  EndpointUpdate: ({ endpointInvalid }) => endpointInvalid,
}

/**
 * Holds a body against its schema. The style decides how a named constraint is answered, or that it is not enforced.
 * @throws Refusal with one line for each failure, such as `$.mounts.network[0]: must have required property 'path'`.
 */
export function validate(schema: RequestSchema, body: unknown, service: Common & Enforcing): void {
  const { parts, style, validators } = service
  const validator = validators[schema]
  if (validator(body)) return
  const given = usualStatus[schema]
  const usual = typeof given === 'number' ? given : given(style)
  const refused = withoutFollowers(validator.errors ?? []).filter(
    (failure) =>
      typeof statusOf(failure, usual, style) === 'number' && parts.enforces(`${schema}${placeOf(failure)}`, body),
  )
  if (refused.length === 0) return
  const statuses = refused.map((failure) => statusOf(failure, usual, style) as number)
  const status = statuses.includes(usual) ? usual : (statuses[0] ?? usual)
  const errors = refused.map(sayFailure)
  throw new Refusal(status, status === 422 ? 'Request validation failed.' : errors.join('; '), { errors })
}

/** True if a constraint on a request is enforced; every constraint is. The name is the same for all its violations. */
export function enforces(_constraint: string, _body: unknown): boolean {
  return true
}

/** Failures without those that follow from another one at the same place: a text is not a power of two either. */
function withoutFollowers(failures: readonly ValidationFailure[]): readonly ValidationFailure[] {
  const rank = (one: ValidationFailure) => (one.keyword === 'type' ? 0 : isOnValue(one) ? 2 : 1)
  const least = (path: string) => Math.min(...failures.filter((one) => one.instancePath === path).map(rank))
  return failures.filter((one) => rank(one) === least(one.instancePath))
}

/** True if a failure is of a named constraint on a value, such as that of a power of two. */
function isOnValue(one: ValidationFailure): boolean {
  return one.keyword !== 'not' && constraintOf(one) !== null
}

/** Where a constraint is, without the places in lists: `/mounts/network/path minLength`. */
function placeOf({ instancePath, keyword, params, schemaPath }: ValidationFailure): string {
  const what = params.missingProperty ?? params.additionalProperty ?? (keyword === 'not' ? schemaPath : '')
  return `${instancePath.replaceAll(/\/\d+/g, '')} ${keyword} ${String(what)}`.trim()
}

/** The status that answers a failure; a word of the style if the request is accepted. */
function statusOf(failure: ValidationFailure, usual: number, style: Style): number | string {
  const name = constraintOf(failure)
  if (name === null) return usual
  return name in style ? (style[name as keyof Style] as number | string) : Number(constraints[name][0])
}

function sayFailure({ instancePath, keyword, params, parentSchema, message }: ValidationFailure): string {
  return `$${instancePath.split('/').slice(1).map(sayStep).join('')}: ${what()}`

  function what(): string {
    if (keyword === 'not') return String(parentSchema.description)
    if (keyword === 'additionalProperties')
      return `additional properties '${String(params.additionalProperty)}' not allowed`
    return message ?? `fails ${keyword}`
  }
}

function sayStep(step: string): string {
  return /^\d+$/.test(step) ? `[${step}]` : `.${step.replaceAll('~1', '/').replaceAll('~0', '~')}`
}
