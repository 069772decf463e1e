import type { Defect } from '../types.ts'
import { defect, onAnswer, onJson } from './tools.ts'

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
  defect('validation-says-400', 'errors.problem.status', 'status', {
    says: 'The problem of a 422 says that its status is 400.',
    observed: 'status 400 in the body',
    wrap: onJson(
      (_, { status }) => status === 422,
      (body) => ({ ...body, status: 400 }),
    ),
  }),
]
