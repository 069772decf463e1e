import { constraints } from '../../generated/tables.ts'
import { constraintOf, type ValidationFailure } from '../../generated/validators.ts'
import type { Common, RequestSchema } from '../common.ts'
import type { Style } from '../style.ts'
import { Refusal } from './refusal.ts'

/** The status for a failure that no constraint of the API document names (heading Errors). */
const usualStatus: { readonly [S in RequestSchema]: number } = {
  PodCreate: 422,
  PodUpdate: 422,
  PodActionRequest: 422,
  JobSubmission: 400,
}

/**
 * Holds a body against its schema. The style decides how a named constraint is answered, or that it is not enforced.
 * @throws Refusal with one line for each failure, such as `$.mounts.network[0]: must have required property 'path'`.
 */
export function validate(schema: RequestSchema, body: unknown, { validators, style }: Common): void {
  const validator = validators[schema]
  if (validator(body)) return
  const usual = usualStatus[schema]
  const refused = (validator.errors ?? []).filter((failure) => typeof statusOf(failure, usual, style) === 'number')
  if (refused.length === 0) return
  const statuses = refused.map((failure) => statusOf(failure, usual, style) as number)
  const status = statuses.includes(usual) ? usual : (statuses[0] ?? usual)
  const errors = refused.map(sayFailure)
  throw new Refusal(status, status === 422 ? 'Request validation failed.' : errors.join('; '), { errors })
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
