import type { Defect } from '../types.ts'
import { defect, type Json, onAnswer, onJson } from './tools.ts'

/** Errors in another form than problem+json, each for one status. */
export const errorsProblem: readonly Defect[] = [
  defect('not-found-without-body', 'errors.problem.shape', 'body', {
    says: 'A 404 has no body.',
    observed: 'no body',
    wrap: onAnswer(
      (_, { status }) => status === 404,
      () => ({ text: '' }),
    ),
  }),
  problem(
    'conflict-without-title',
    'title',
    409,
    'The problem of a 409 has no title.',
    'title: nothing',
    without('title'),
  ),
  problem(
    'unauthorized-status-as-text',
    'status',
    401,
    'The problem of a 401 has its status as a text.',
    'status: "401"',
    (body) => ({ ...body, status: '401' }),
  ),
  problem('forbidden-detail-null', 'detail', 403, 'The detail of a 403 is null.', 'detail: null', (body) => ({
    ...body,
    detail: null,
  })),
  problem(
    'validation-errors-as-objects',
    'errors',
    422,
    'The errors of a 422 are objects.',
    'errors: an array',
    (body) => ({
      ...body,
      errors: [{ path: '$', message: 'wrong' }],
    }),
  ),
  defect('conflict-as-plain-json', 'errors.problem.media-type', 'media-type', {
    says: 'A 409 has the content type application/json.',
    observed: 'application/json',
    wrap: onAnswer(
      (_, { status }) => status === 409,
      ({ headers }) => {
        headers.set('content-type', 'application/json')
        return {}
      },
    ),
  }),
  defect('validation-says-400', 'errors.problem.status', 'status', {
    says: 'The problem of a 422 says that its status is 400.',
    observed: 'status 400 in the body',
    wrap: onJson(
      (_, { status }) => status === 422,
      (body) => ({ ...body, status: 400 }),
    ),
  }),
]

function problem(
  id: string,
  clause: string,
  status: number,
  says: string,
  observed: string,
  rewrite: (body: Json) => Json,
): Defect {
  const wrap = onJson((_, response) => response.status === status, rewrite)
  return { id, rule: 'errors.problem.shape', clause, says, observed, wrap }
}

function without(member: string): (body: Json) => Json {
  return ({ [member]: _, ...others }) => others
}
