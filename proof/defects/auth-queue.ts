import { mutate } from '../../harness/common/mutate.ts'
import { defaultKeys } from '../../reference/auth/accounts.ts'
import { Refusal } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { lets, refusesAndDoes, refusesAndDoesInTenSeconds, tokenIs, type When } from './auth-tools.ts'
import { asks } from './queue-tools.ts'
import { onAnswer, parts } from './tools.ts'

const isStranger = tokenIs(defaultKeys.stranger)
const isAltered = tokenIs(mutate(defaultKeys.full))
const isMissing: When = ({ headers }) => !headers.has('authorization')
const isInvalid: When = ({ headers }) => /never-issued/.test(headers.get('authorization') ?? '')

const both =
  (...whens: readonly When[]): When =>
  (request) =>
    whens.every((when) => when(request))

/** Keys on the queue plane. */
export const authQueue = [
  {
    id: 'health-without-key',
    rule: 'auth.queue.missing',
    clause: 'refused',
    says: 'The health of an endpoint is told without a key.',
    observed: 'status 200',
    change: lets(both(isMissing, asks('health'))),
  },
  {
    id: 'no-key-403-on-stream',
    rule: 'auth.queue.missing',
    clause: 'refused',
    says: 'The operation /stream without a key is answered 403.',
    observed: 'status 403',
    wrap: onAnswer(
      (request, { status }) => status === 401 && isMissing(request) && asks('stream')(request),
      () => ({ status: 403 }),
    ),
  },
  {
    id: 'no-key-refused-and-cancels',
    rule: 'auth.queue.no-effect',
    clause: 'unchanged',
    says: 'A cancellation without a key is answered 401 and carried out.',
    observed: 'CANCELLED',
    change: refusesAndDoes(both(isMissing, asks('cancel'))),
  },
  {
    id: 'no-key-refused-and-runs',
    rule: 'auth.queue.no-effect',
    clause: 'not-executed',
    says: 'A submission without a key is answered 401 and executed.',
    observed: 'an execution of one',
    change: refusesAndDoes(both(isMissing, asks('run'))),
  },
  {
    id: 'no-key-refused-and-runs-later',
    rule: 'auth.queue.no-effect',
    clause: 'not-executed',
    says: 'A submission without a key is answered 401, and executed ten seconds later.',
    observed: 'an execution of one',
    change: refusesAndDoesInTenSeconds(both(isMissing, asks('run'))),
  },
  {
    id: 'no-key-refused-and-retries',
    rule: 'auth.queue.no-effect',
    clause: 'not-executed',
    says: 'A /retry without a key is answered 401 and carried out.',
    observed: 'an execution of one',
    change: refusesAndDoes(both(isMissing, asks('retry'))),
  },
  {
    id: 'stranger-refused-and-asks-openai',
    rule: 'auth.queue.hidden-no-effect',
    clause: 'not-executed',
    says: 'A route below /openai is refused to another account and executed.',
    observed: 'an execution of one',
    change: refusesAndDoes(both(isStranger, asks('openai'))),
  },
  {
    id: 'any-key-sees-status',
    rule: 'auth.queue.invalid',
    clause: 'refused',
    says: 'The operation /status is answered to any token.',
    observed: 'status 200',
    change: lets(both(isInvalid, asks('status'))),
  },
  {
    id: 'key-by-its-beginning',
    rule: 'auth.queue.invalid',
    clause: 'altered',
    says: 'Of a key only the beginning is looked at.',
    observed: 'status 200',
    change: lets(isAltered),
  },
  {
    id: 'invalid-key-refused-and-cancels',
    rule: 'auth.queue.no-effect',
    clause: 'unchanged',
    says: 'A cancellation with a token that was never issued is answered 401 and carried out.',
    observed: 'CANCELLED',
    change: refusesAndDoes(both(isAltered, asks('cancel'))),
  },
  {
    id: 'invalid-key-refused-and-runs',
    rule: 'auth.queue.no-effect',
    clause: 'not-executed',
    says: 'A /runsync with a token that was never issued is answered 401 and executed.',
    observed: 'an execution of one',
    change: refusesAndDoes(both(isAltered, asks('runsync'))),
  },
  {
    id: 'stranger-runs-job',
    rule: 'auth.queue.hidden',
    clause: 'refused',
    says: 'Another account can submit jobs to an endpoint.',
    observed: 'status 200',
    change: lets(both(isStranger, asks('run'))),
  },
  {
    id: 'stranger-told-input',
    rule: 'auth.queue.hidden',
    clause: 'not-told',
    says: 'The refusal to another account tells the inputs of the jobs.',
    observed: 'status 403 with the input of the job',
    change: parts({
      findEndpoint: (original) => (id, caller, service) => {
        const endpoint = service.queue.endpoints.get(id)
        if (endpoint && endpoint.user !== caller.user) {
          throw new Refusal(403, JSON.stringify([...endpoint.jobs.values()].map(({ input }) => input)))
        }
        return original(id, caller, service)
      },
    }),
  },
  {
    id: 'stranger-refused-and-cancels',
    rule: 'auth.queue.hidden-no-effect',
    clause: 'unchanged',
    says: 'A cancellation by another account is answered 404 and carried out.',
    observed: 'CANCELLED',
    change: refusesAndDoes(both(isStranger, asks('cancel'))),
  },
  {
    id: 'stranger-refused-and-runs',
    rule: 'auth.queue.hidden-no-effect',
    clause: 'not-executed',
    says: 'A submission by another account is answered 404 and executed.',
    observed: 'an execution of one',
    change: refusesAndDoes(both(isStranger, asks('run'))),
  },
] as const satisfies readonly Defect[]
