import type { Defect } from '../types.ts'
import { defect, is, restated } from './tools.ts'

/** Requests that are wrong and end in an error of the server. */
export const serverErrors: readonly Defect[] = [
  defect('wrong-action-bodies-500', 'errors.no-5xx', 'refused', {
    says: 'An action body that fails validation is answered 500.',
    observed: 'status 500, twice',
    wrap: restated(is.action, 422, 500),
  }),
  defect('actions-of-unknown-pods-500', 'errors.no-5xx', 'refused', {
    says: 'An action on a pod that does not exist is answered 500.',
    observed: 'status 500, twice',
    wrap: restated(is.action, 404, 500),
  }),
  defect('fuzzed-creations-500', 'errors.no-5xx', 'refused', {
    says: 'A creation with a list in place of an object is answered 500.',
    observed: 'status 500, twice',
    tour: ['pods.create.fuzz'],
    wrap: restated(async (request) => is.create(request) && /"env": ?\[/.test(await request.clone().text()), 422, 500),
  }),
]
