import type { ValidationFailure } from '../../generated/validators.ts'
import type { Service } from '../service.ts'
import type { Style } from '../style.ts'
import { Refusal } from './refusal.ts'

/** The schemas that request bodies are held against. */
export type RequestSchema = 'PodCreate' | 'PodUpdate' | 'PodActionRequest' | 'JobSubmission'

/**
 * Holds a body against its schema.
 * @throws Refusal with one line for each failure, such as `$.mounts.network[0]: must have required property 'path'`.
 */
export function validate(schema: RequestSchema, body: unknown, { validators, style }: Service): void {
  const validator = validators[schema]
  if (validator(body)) return
  const failures = validator.errors ?? []
  throw new Refusal(statusOf(failures, style), 'Request validation failed.', { errors: failures.map(sayFailure) })
}

/** 422, unless a freedom moves every failure that was found to another status. */
function statusOf(failures: readonly ValidationFailure[], style: Style): number {
  const statuses = failures.map((failure) => statusOfOne(failure, style))
  return statuses.includes(422) ? 422 : (statuses[0] ?? 422)
}

function statusOfOne({ instancePath, keyword }: ValidationFailure, style: Style): number {
  if (instancePath === '' && keyword === 'type') return style.notObject
  if (instancePath === '/mounts/network' && keyword === 'maxItems') return style.twoNetworks
  if (instancePath.startsWith('/ports/') && keyword === 'pattern') return style.portForm
  return 422
}

function sayFailure({ instancePath, keyword, params, message }: ValidationFailure): string {
  const what =
    keyword === 'additionalProperties'
      ? `additional properties '${String(params.additionalProperty)}' not allowed`
      : (message ?? `fails ${keyword}`)
  return `$${instancePath.split('/').slice(1).map(sayStep).join('')}: ${what}`
}

function sayStep(step: string): string {
  return /^\d+$/.test(step) ? `[${step}]` : `.${step.replaceAll('~1', '/').replaceAll('~0', '~')}`
}
