import { defaultKeys } from '../../reference/auth/accounts.ts'
import { likeBearer, longerKeys } from '../../suites/auth/credentials.ts'
import type { Defect } from '../types.ts'
import { effectOf, seen } from './action-tools.ts'
import {
  authorizationIs,
  both,
  isAltered,
  isExpired,
  isInvalid,
  isLonger,
  isMissing,
  lets,
  refusesAndDoes,
  refusesAndDoesLater,
  tokenIs,
  type When,
} from './auth-tools.ts'
import { defect, is, refusing, restated } from './tools.ts'

const started = seen('EXITED', 'STARTING')
const actsWithEmpty = both(is.action, authorizationIs(''))

/** Requests without a good Authorization, and an operation that serves them. */
const refusals = {
  'auth.pods.missing': {
    id: 'no-key',
    says: 'Without Authorization',
    when: isMissing,
    open: ['the CPU catalog', ({ url }) => url.endsWith('/cpus')],
  },
  'auth.pods.invalid': {
    id: 'unissued-key',
    says: 'With a token that was never issued',
    when: isInvalid,
    open: ['the list', is.list],
  },
  'auth.pods.expired': {
    id: 'expired-key',
    says: 'With an expired token',
    when: isExpired,
    open: ['the action call', is.action],
  },
  'auth.scheme-required': {
    id: 'bare-key',
    says: 'With a good token without the word Bearer',
    when: authorizationIs(defaultKeys.full),
    open: ['GET of a pod', is.get],
  },
} as const satisfies Readonly<
  Record<string, { id: string; says: string; when: When; open: readonly [what: string, operation: When] }>
>

const everywhere = (Object.keys(refusals) as (keyof typeof refusals)[]).flatMap((rule): Defect[] => {
  const { id, says, when, open } = refusals[rule]
  const [what, isOpen] = open
  return [
    defect(`${id}-accepted`, rule, 'refused', {
      says: `${says}, ${what} is served.`,
      observed: 'status 200',
      change: lets(both(when, isOpen)),
    }),
    defect(`${id}-refused-and-starts`, rule, 'unchanged', {
      says: `${says}, an action is answered 401 and carried out.`,
      observed: started,
      change: refusesAndDoes(both(when, is.action)),
    }),
    defect(`${id}-refused-and-starts-later`, rule, 'unchanged', {
      says: `${says}, an action is answered 401 and carried out a minute later.`,
      observed: seen('EXITED', 'RUNNING'),
      change: refusesAndDoesLater(both(when, is.action), effectOf('start'), 60_000),
    }),
    defect(`${id}-refused-and-creates`, rule, 'not-created', {
      says: `${says}, a creation is answered 401 and carried out.`,
      observed: 'the pod whose creation was refused',
      change: refusesAndDoes(both(when, is.create)),
    }),
  ]
})

/** Keys that are missing, malformed, expired or unknown. */
export const authToken: readonly Defect[] = [
  ...everywhere,
  defect('altered-key-accepted', 'auth.pods.invalid', 'altered', {
    says: 'Only the beginning of a token is compared, so a good one with another end may list pods.',
    observed: 'status 200',
    change: lets(both(is.list, isAltered)),
  }),
  defect('longer-key-accepted', 'auth.pods.invalid', 'longer', {
    says: 'A token that begins with a key may create pods.',
    observed: 'status 201',
    change: lets(both(is.create, isLonger)),
  }),
  ...Object.entries(longerKeys).map(([name, form]) =>
    defect(`longer-key-with-${slug(name)}-accepted`, 'auth.pods.invalid', 'longer', {
      says: `A pod can be read with a key that has more around it (${name}).`,
      observed: 'status 200',
      variation: { sample: name },
      change: lets(both(is.get, tokenIs(form(defaultKeys.full)))),
    }),
  ),
  ...Object.entries(likeBearer).map(([name, form]) =>
    defect(`header-with-${slug(name)}-accepted`, 'auth.pods.malformed', 'like-bearer', {
      says: `A pod can be read with an Authorization that resembles a bearer token (${name}).`,
      observed: 'status 200',
      variation: { sample: name },
      change: lets(both(is.get, authorizationIs(form(defaultKeys.full)))),
    }),
  ),
  defect('basic-scheme-accepted', 'auth.pods.malformed', 'another-scheme', {
    says: 'A good token is accepted with the scheme Basic.',
    observed: 'status 200',
    change: lets(authorizationIs(/^Basic /)),
  }),
  defect('bearer-without-token-accepted', 'auth.pods.malformed', 'no-token', {
    says: 'A pod can be read with Bearer and no token.',
    observed: 'status 200',
    change: lets(both(is.get, authorizationIs('Bearer'))),
  }),
  defect('empty-authorization-accepted-for-actions', 'auth.pods.malformed', 'empty', {
    says: 'An action is carried out with an empty Authorization.',
    observed: 'status 200',
    change: lets(actsWithEmpty),
  }),
  defect('malformed-refused-and-starts', 'auth.pods.malformed', 'unchanged', {
    says: 'With an empty Authorization, an action is answered 401 and carried out.',
    observed: started,
    change: refusesAndDoes(actsWithEmpty),
  }),
  defect('malformed-refused-and-starts-later', 'auth.pods.malformed', 'unchanged', {
    says: 'With an empty Authorization, an action is answered 401 and carried out a minute later.',
    observed: seen('EXITED', 'RUNNING'),
    change: refusesAndDoesLater(actsWithEmpty, effectOf('start'), 60_000),
  }),
  defect('body-read-before-key', 'auth.before-validation', 'wrong-body', {
    says: 'An action call without a body is answered 400 before its key is looked at.',
    observed: 'status 400',
    wrap: restated(async (request) => is.action(request) && (await request.clone().text()) === '', 401, 400),
  }),
  defect('pod-looked-up-before-key', 'auth.before-validation', 'unknown-id', {
    says: 'DELETE of a pod that does not exist is answered 404 before its key is looked at.',
    observed: 'status 404',
    wrap: (fetch) => async (request) => {
      if (!is.delete(request) || request.headers.has('authorization')) return fetch(request)
      const read = await fetch(new Request(request.url, { headers: { authorization: `Bearer ${defaultKeys.full}` } }))
      return read.status === 404 ? read : fetch(request)
    },
  }),
  ...(['bearer', 'BEARER'] as const).map((scheme) =>
    defect(`scheme-${scheme === 'bearer' ? 'lower' : 'upper'}-case-refused`, 'auth.scheme-case', scheme, {
      says: `The scheme is refused when it is written ${scheme}.`,
      observed: 'status 401',
      change: refusing(
        'authenticate',
        (authorization) => authorization?.startsWith(`${scheme} `) && [401, 'malformed authorization header'],
      ),
    }),
  ),
]

function slug(words: string): string {
  return words.replaceAll(' ', '-')
}
