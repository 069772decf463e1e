import type { Common } from '../common.ts'
import type { Refusal } from './refusal.ts'

/** A problem document, as under the heading Errors. */
interface Problem {
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly errors?: readonly string[]
  readonly [extra: string]: unknown
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Entity',
  423: 'Locked',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
}

/** Renders a refusal in the style of the service. */
export function problem(refusal: Refusal, { style }: Common): Problem {
  const { status, message } = refusal
  const title = TITLES[status] ?? 'Error'
  const texts =
    style.texts === 'plain' ? { title, detail: message } : { title: `E${status}`, detail: otherWords(message) }
  const document = { title: texts.title, status, detail: texts.detail }
  const isListed = style.errorsList === 'always' || (style.errorsList === 'on-422' && status === 422)
  const errors = refusal.errors.length > 0 ? refusal.errors : [`$: ${message}`]
  const whole = isListed ? { ...document, errors } : document
  return style.extraFields ? { ...whole, type: 'about:blank', instance: 'urn:plumbline:refusal' } : whole
}

/** The same words in another order, so that whoever depends on a sentence finds out; every name is still in it. */
function otherWords(detail: string): string {
  return `Not served, because: ${detail.split(' ').toReversed().join(' ')}`
}
