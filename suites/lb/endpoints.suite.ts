import { deliberate, outagePausesMs } from '../../harness/client/retry.ts'
import { pollOn } from '../../harness/clock/poll.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import type { LbClient } from '../../harness/planes/lb/client.ts'
import { isOutage } from '../../harness/rule/check.ts'
import { rule } from '../../harness/rule/registry.ts'
import {
  echo,
  expectCounted,
  expectNotReached,
  methods,
  nonceFor,
  received,
  sentOnce,
  serving,
  servingNormal,
  usesNormal,
  usesNormalLooking,
  withNonce,
} from '../shared/balanced.ts'

rule('lb.endpoint-unknown', usesNormal, async ({ check, clock, inconclusive, lb }) => {
  const ping = (client: LbClient) => client.send('GET', '/ping')
  // Only the worker of the suite has this route.
  const post = (client: LbClient) => client.send('POST', echo, { body: {} })
  if ((await ping(lb)).status === 404 && (await post(lb)).status === 404)
    inconclusive('the normal endpoint answers 404 as well, so a 404 shows nothing')
  const unknown = lb.on('unknown')
  for (const send of [ping, post]) {
    const response = await pollOn(
      clock,
      outagePausesMs,
      () => send(unknown),
      (seen) => !isOutage(seen),
    )
    const isMeant = isOutage(response) && !isOutage(await send(lb))
    check('unknown').status(isMeant ? deliberate(response) : response, 404)
  }
})

/** A request of each method, on routes of several depths. */
const ownRoutes = methods.map((method, depth) => [method, echo + '/part'.repeat(depth)] as const)

const bodyFor = (method: string) => (method === 'GET' || method === 'DELETE' ? {} : { body: {} })

rule('lb.own-address', usesNormal, async (context) => {
  const { check, lb } = context
  const second = lb.on('second')
  const endpoints = [
    ['the normal endpoint', lb, second],
    ['the second endpoint', second, lb],
  ] as const
  for (const [, own] of endpoints) {
    await serving(context, own)
    await expectCounted(context, own)
  }
  for (const [name, own, other] of endpoints) {
    // Several, because a balancer may err in one of a few requests only.
    for (const [method, route] of ownRoutes) {
      const { nonce, response: sent } = await sentOnce(context, own, method, route, bodyFor(method))
      check('reached').status(sent, 200)
      const [here, there] = [await received(context, own, nonce), await received(context, other, nonce)]
      const expected = `a request that reaches ${name} once`
      check('reached').that(here.times === 1, expected, `${here.times} times`, here.response)
      check('other').that(
        there.times === 0,
        `a request to ${name} alone`,
        'it also reached the other one',
        there.response,
      )
    }
  }
})

rule('lb.auth', usesNormalLooking, async (context) => {
  const { check, lb, part } = context
  const routes = [
    ...methods.map((method) => [method, echo] as const),
    ['GET', '/ping'],
    ['GET', '/plumbline/status/200'],
    ['GET', '/plumbline/parts/1'],
    ['POST', '/plumbline/return/200'],
    ['GET', '/plumbline/seen/nobody'],
    ['GET', `${echo}/a/b/c`],
    ['OPTIONS', echo],
  ] as const
  await expectTokenRequired(await servingNormal(context))
  if (!part('lb.second')) return
  const second = lb.on('second')
  await serving(context, second)
  await expectTokenRequired(second)

  async function expectTokenRequired(client: LbClient): Promise<void> {
    const nonces = routes.map(() => nonceFor(context))
    for (const [at, [method, route]] of routes.entries()) {
      const options = withNonce(nonces[at] ?? '', { authorization: null, repeats: true })
      const response = await client.send(method, route, options)
      // A platform may answer the OPTIONS of a browser itself, which has no key.
      if (method !== 'OPTIONS') check('refused').status(response, 401)
    }
    await expectNotReached(context, 'not-reached', nonces, client)
  }
})

rule('lb.peer-call', usesNormal, async (context) => {
  const { check, clock, inconclusive, lb, target, unissuedToken } = context
  const client = await servingNormal(context)
  const peer = lb.on('second')
  await serving(context, peer)
  await expectCounted(context, peer)
  const calls = [
    ['called', { Authorization: `Bearer ${target.keys.full}` }, 200, 1],
    ['refused', {}, 401, 0],
    ['refused', { Authorization: `Bearer ${unissuedToken}` }, 401, 0],
  ] as const
  for (const [clause, authorization, status, times] of calls) {
    const call = async () => {
      const nonce = nonceFor(context)
      const headers = Object.entries({ ...authorization, 'Plumbline-Nonce': nonce })
      const body = { url: peer.address + echo, method: 'GET', headers }
      const response = await client.send('POST', '/plumbline/call', { body })
      const came = membersOf(response.json)?.status
      if (isSuccess(response.status) && typeof came === 'number') return { nonce, response, came }
      return inconclusive(`the worker did not call the second endpoint: status ${response.status}`)
    }
    const isThere = (called: { readonly came: number }) => called.came !== 429 && !isOutage({ status: called.came })
    const { nonce, response, came } = await pollOn(clock, outagePausesMs, call, isThere)
    // Others reach the second endpoint, so it is not out.
    if (isOutage({ status: came })) await serving(context, peer)
    check(clause).that(came === status, `status ${status} from the second endpoint`, `status ${came}`, response)
    const count = await received(context, peer, nonce)
    check(clause).that(count.times === times, `reached ${times}×`, `reached ${count.times}×`, count.response)
  }
})
