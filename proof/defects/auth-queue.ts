import type { Defect } from '../types.ts'
import { both, isAltered, isInvalid, isMissing, isStranger, lets, refusesAndDoes } from './auth-tools.ts'
import { asks } from './queue-tools.ts'
import { defect, refusing, restated } from './tools.ts'

/** Keys on the queue plane. */
export const authQueue: readonly Defect[] = [
  defect('health-without-key', 'auth.queue.missing', 'refused', {
    says: 'The health of an endpoint is told without a key.',
    observed: 'status 200',
    change: lets(both(isMissing, asks('health'))),
  }),
  defect('no-key-403-on-stream', 'auth.queue.missing', 'refused', {
    says: 'The operation /stream without a key is answered 403.',
    observed: 'status 403',
    wrap: restated(both(isMissing, asks('stream')), 401, 403),
  }),
  defect('no-key-refused-and-cancels', 'auth.queue.no-effect', 'unchanged', {
    says: 'A cancellation without a key is answered 401 and carried out.',
    observed: 'CANCELLED',
    change: refusesAndDoes(both(isMissing, asks('cancel'))),
  }),
  defect('no-key-refused-and-runs', 'auth.queue.no-effect', 'not-executed', {
    says: 'A submission without a key is answered 401 and executed.',
    observed: 'an execution of one',
    change: refusesAndDoes(both(isMissing, asks('run'))),
  }),
  defect('no-key-refused-and-runs-later', 'auth.queue.no-effect', 'not-executed', {
    says: 'A submission without a key is answered 401, and executed ten seconds later.',
    observed: 'an execution of one',
    change: refusesAndDoes(both(isMissing, asks('run')), 10_000),
  }),
  defect('no-key-refused-and-retries', 'auth.queue.no-effect', 'not-executed', {
    says: 'A /retry without a key is answered 401 and carried out.',
    observed: 'an execution of one',
    change: refusesAndDoes(both(isMissing, asks('retry'))),
  }),
  defect('stranger-refused-and-asks-openai', 'auth.queue.hidden-no-effect', 'not-executed', {
    says: 'A route below /openai is refused to another account and executed.',
    observed: 'an execution of one',
    change: refusesAndDoes(both(isStranger, asks('openai'))),
  }),
  defect('any-key-sees-status', 'auth.queue.invalid', 'refused', {
    says: 'The operation /status is answered to any token.',
    observed: 'status 200',
    change: lets(both(isInvalid, asks('status'))),
  }),
  defect('key-by-its-beginning', 'auth.queue.invalid', 'altered', {
    says: 'Of a key only the beginning is looked at.',
    observed: 'status 200',
    change: lets(isAltered),
  }),
  defect('invalid-key-refused-and-cancels', 'auth.queue.no-effect', 'unchanged', {
    says: 'A cancellation with a token that was never issued is answered 401 and carried out.',
    observed: 'CANCELLED',
    change: refusesAndDoes(both(isAltered, asks('cancel'))),
  }),
  defect('invalid-key-refused-and-runs', 'auth.queue.no-effect', 'not-executed', {
    says: 'A /runsync with a token that was never issued is answered 401 and executed.',
    observed: 'an execution of one',
    change: refusesAndDoes(both(isAltered, asks('runsync'))),
  }),
  defect('stranger-runs-job', 'auth.queue.hidden', 'refused', {
    says: 'Another account can submit jobs to an endpoint.',
    observed: 'status 200',
    change: lets(both(isStranger, asks('run'))),
  }),
  defect('stranger-told-input', 'auth.queue.hidden', 'not-told', {
    says: 'The refusal to another account tells the inputs of the jobs.',
    observed: 'status 403 with the input of the job',
    change: refusing('findEndpoint', (id, { user }, { queue }) => {
      const endpoint = queue.endpoints.get(id)
      const inputs = () => JSON.stringify([...(endpoint?.jobs.values() ?? [])].map(({ input }) => input))
      return endpoint && endpoint.user !== user && [403, inputs()]
    }),
  }),
  defect('stranger-refused-and-cancels', 'auth.queue.hidden-no-effect', 'unchanged', {
    says: 'A cancellation by another account is answered 404 and carried out.',
    observed: 'CANCELLED',
    change: refusesAndDoes(both(isStranger, asks('cancel'))),
  }),
  defect('stranger-refused-and-runs', 'auth.queue.hidden-no-effect', 'not-executed', {
    says: 'A submission by another account is answered 404 and executed.',
    observed: 'an execution of one',
    change: refusesAndDoes(both(isStranger, asks('run'))),
  }),
]
