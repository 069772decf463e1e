import type { LbClient } from '../../harness/planes/lb/client.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import {
  echo,
  expectNotReached,
  methods,
  nonceFor,
  servingNormal,
  usesNormalLooking,
  withNonce,
} from '../shared/balanced.ts'
import { type Authorizations, expired, isKnownKey, malformed, missing, neverIssued } from './authorizations.ts'

rule('auth.lb.missing', usesNormalLooking, (context) => expectRefused(context, missing))

rule('auth.lb.malformed', usesNormalLooking, (context) => expectRefused(context, malformed(context)))

rule('auth.lb.invalid', usesNormalLooking, (context) => expectRefused(context, neverIssued(context)))

rule('auth.lb.expired', usesNormalLooking, (context) => expectRefused(context, expired(context)))

rule('auth.lb.hidden', usesNormalLooking, async (context) => {
  const { check, inconclusive, lbAs, part } = context
  const stranger = lbAs('stranger')
  const { requests, nonces } = await workingRequests(context)
  for (const send of requests) {
    const response = await send(stranger)
    if (response.status === 401) inconclusive('the stranger is answered 401, so its key may not be a valid one')
    check('refused').status(response, 403, 404)
  }
  if (part('lb.worker')) await expectNotReached(context, 'not-reached', nonces)
})

rule('auth.lb.forbidden', usesNormalLooking, async (context) => {
  const { check, inconclusive, lbAs, part } = context
  const restricted = lbAs('restricted')
  const { requests, nonces } = await workingRequests(context)
  for (const send of requests) {
    const response = await send(restricted)
    if (response.status === 401 && !(await isKnownKey(context, 'restricted'))) {
      inconclusive('the restricted key is answered 401 and nothing shows that it is valid')
    }
    check('refused').status(response, 401, 403, 404)
  }
  if (part('lb.worker')) await expectNotReached(context, 'not-reached', nonces)
})

/** Every request is answered 401 with another Authorization, and has no effect. Each is under its clause. */
async function expectRefused(context: Context, others: Authorizations): Promise<void> {
  const { check, lb, part } = context
  const { requests, nonces } = await workingRequests(context)
  for (const [clause, authorization] of others) {
    for (const send of requests) check(clause).status(await send(lb, authorization), 401)
  }
  if (part('lb.worker')) await expectNotReached(context, 'not-reached', nonces)
}

/** A request with each method, shown to pass with the owner's key, and the nonces that they carry otherwise. */
async function workingRequests(context: Context) {
  const { inconclusive, lb, part } = context
  const nonces: string[] = []
  const routes: (readonly [method: string, route: string])[] = [['GET', '/ping']]
  if (part('lb.worker')) {
    await servingNormal(context)
    routes.push(...methods.map((method) => [method, echo] as const))
  }
  for (const [method, route] of routes) {
    const { status } = await lb.send(method, route)
    if (status === 401 || status === 403)
      inconclusive(`${method} ${route} was answered ${status} with the full key too`)
  }
  const requests = routes.map(([method, route]) => {
    return (client: LbClient, authorization?: string | null) => {
      const nonce = nonceFor(context)
      nonces.push(nonce)
      const own = authorization === undefined ? {} : { authorization }
      return client.send(method, route, withNonce(nonce, { repeats: true, ...own }))
    }
  })
  return { requests, nonces }
}
