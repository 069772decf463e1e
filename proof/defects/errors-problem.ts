import type { Defect } from '../types.ts'
import { type Json, onAnswer, onJson } from './tools.ts'

/** Errors in another form than problem+json, each for one status. */
export const errorsProblem = [
  {
    id: 'not-found-without-body',
    rule: 'errors.problem.shape',
    clause: 'body',
    says: 'A 404 has no body.',
    observed: 'no body',
    wrap: onAnswer(
      (_, { status }) => status === 404,
      () => ({ text: '' }),
    ),
  },
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
  {
    id: 'conflict-as-plain-json',
    rule: 'errors.problem.media-type',
    clause: 'media-type',
    says: 'A 409 has the content type application/json.',
    observed: 'application/json',
    wrap: onAnswer(
      (_, { status }) => status === 409,
      ({ headers }) => {
        headers.set('content-type', 'application/json')
        return {}
      },
    ),
  },
  {
    id: 'validation-says-400',
    rule: 'errors.problem.status',
    clause: 'status',
    says: 'The problem of a 422 says that its status is 400.',
    observed: 'status 400 in the body',
    wrap: onJson(
      (_, { status }) => status === 422,
      (body) => ({ ...body, status: 400 }),
    ),
  },
] as const satisfies readonly Defect[]

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
