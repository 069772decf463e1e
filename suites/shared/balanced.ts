import type { ApiResponse } from '../../harness/client/api-response.ts'
import { outagePausesMs } from '../../harness/client/retry.ts'
import { pollOn } from '../../harness/clock/poll.ts'
import { isSuccess, textOf } from '../../harness/exchange/exchange.ts'
import { membersOf, show, textIn } from '../../harness/exchange/read.ts'
import type { LbClient, RouteOptions } from '../../harness/planes/lb/client.ts'
import { isOutage, responseText } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { Inconclusive } from '../../harness/rule/outcome.ts'
import type { ScenarioOptions } from '../../harness/rule/registry.ts'
import { poll } from './poll.ts'

/** A rule that uses the normal endpoint as others do. */
export const usesNormal = { wakes: ['lb.normal'] } as const satisfies Partial<ScenarioOptions>

/** The same, with the endpoint drawn. */
export const usesDrawn = { ...usesNormal, varies: ['sample'] } as const satisfies Partial<ScenarioOptions>

/** The same, if it looks again later. */
export const usesNormalLooking = {
  ...usesNormal,
  varies: ['look', 'sample'],
} as const satisfies Partial<ScenarioOptions>

/** A rule that kills a worker of the normal endpoint. */
export const kills = { exclusive: ['lb.normal'] } as const satisfies Partial<ScenarioOptions>

export const echo = '/plumbline/echo'

/** The description leaves the limit of a body open; ten million bytes are within the limits of most platforms. */
export const largeBytes = 10_000_000

/** Statuses of a platform that takes JSON alone, which the description may mean. */
export const jsonOnly: ReadonlySet<number> = new Set([400, 415, 422])
export const exit = '/plumbline/exit'

/** The methods that the description's document lists. */
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** An endpoint that starts a worker is found: one that is answered 404 for longer has another address, ms. */
const notFoundMs = 15_000

/**
 * Waits until an endpoint serves: one that has no worker yet may refuse requests for a while. Another method shows that it
 * does if GET is not served. The rule is inconclusive if it does not come to that, or if the conformance worker is not the
 * one that answers.
 */
export async function serving(context: Context, client: LbClient): Promise<ApiResponse> {
  const { blocked, came, check, inconclusive, row, target, waitOnce } = context
  const send = async () => {
    const response = await client.send('GET', echo, { repeats: false })
    if (isReport(response)) return response
    const other = await client.send('POST', echo, { body: {}, repeats: false })
    return isReport(other) ? other : response
  }
  const isDone = ({ status }: ApiResponse) => isSuccess(status) || status === 401 || status === 403
  const { coldStartMs } = target.tolerances
  const wait = async () => {
    const seen = await poll(context, Math.min(notFoundMs, coldStartMs), send, isDone)
    return isDone(seen) || seen.status === 404 ? seen : poll(context, coldStartMs - notFoundMs, send, isDone)
  }
  const notServing = (response: ApiResponse) =>
    new Inconclusive(`${echo} of the worker was answered with ${responseText(response)}`)
  const what = `a worker of ${client.address}`
  const response = await waitOnce(what, {
    wait,
    vain: (seen) => (isDone(seen) ? null : notServing(seen)),
  })
  if (!isSuccess(response.status)) throw notServing(response)
  came(what)
  if (isReport(response)) return response
  const isWrapped = textOf(response.bytes)?.includes('bodySha256') === true
  if (isWrapped && row.id !== 'lb.direct-response')
    blocked('lb.direct-response', `${echo} was answered with more than the report of the worker`)
  check('body').that(!isWrapped, 'the report of the worker alone', 'something around it', response)
  return inconclusive(
    `${echo} was answered ${response.status} without the report of the conformance worker (spec/worker.md); deploy it, or do not claim it by worker: true`,
  )
}

/** True if the conformance worker answered. */
function isReport({ json, status }: ApiResponse): boolean {
  return isSuccess(status) && membersOf(json)?.bodySha256 !== undefined
}

/** The normal endpoint, once it serves. */
export async function servingNormal(context: Context): Promise<LbClient> {
  await serving(context, context.lb)
  return context.lb
}

/** The drawn endpoint, once it serves. */
export async function servingDrawn(context: Context): Promise<LbClient> {
  const { lb, offers, vary } = context
  const roles = offers('lb.second') ? (['normal', 'second'] as const) : (['normal'] as const)
  const client = vary.sample('endpoint', roles, String) === 'second' ? lb.on('second') : lb
  await serving(context, client)
  return client
}

/** A text that identifies one request, also among those of other runs: a worker may remember it. */
export function nonceFor({ nextName }: Context): string {
  return nextName()
}

/** The header with a nonce, beside the others of a request. It is sent once, so that the count is that of the platform. */
export function withNonce(nonce: string, options: RouteOptions = {}): RouteOptions {
  const once = options.repeats !== true
  return { repeats: false, once, ...options, headers: [...(options.headers ?? []), ['Plumbline-Nonce', nonce]] }
}

/** How often the workers of an endpoint received a nonce, by their own count. */
export async function received(context: Context, client: LbClient, nonce: string) {
  const { inconclusive, target } = context
  const send = () => client.send('GET', `/plumbline/seen/${nonce}`)
  // An endpoint that had no request for a while may have to start a worker, and one whose worker died may answer 500.
  const response = await poll(context, target.tolerances.coldStartMs, send, ({ status }) => status < 500)
  const times = membersOf(response.json)?.seen
  if (isSuccess(response.status) && typeof times === 'number') return { times, response }
  return inconclusive(`the count of the worker was answered with status ${response.status} and ${show(response.json)}`)
}

/** Sends a request with a nonce, and again with another one if a gateway answered. */
export function sentOnce(context: Context, client: LbClient, method: string, route: string, options?: RouteOptions) {
  const send = async () => {
    const nonce = nonceFor(context)
    return { nonce, response: await client.send(method, route, withNonce(nonce, options)) }
  }
  return pollOn(context.clock, outagePausesMs, send, ({ response }) => !isOutage(response))
}

/**
 * Does something with a nonce, and again with another one if that did not reach a worker. If none does, while requests for
 * another route do, the rule fails.
 */
export async function reaching<T>(context: Context, act: (nonce: string) => Promise<T>) {
  const attempt = async () => {
    const nonce = nonceFor(context)
    return { nonce, result: await act(nonce), ...(await received(context, context.lb, nonce)) }
  }
  const isReached = ({ times }: Awaited<ReturnType<typeof attempt>>) => times > 0
  const { nonce, result, response, times } = await pollOn(context.clock, outagePausesMs, attempt, isReached)
  if (times === 0) {
    await expectCounted(context, context.lb)
    const observed = `none of ${outagePausesMs.length + 1} does`
    context.check('reached').that(false, 'a request that reaches the worker', observed, response)
  }
  return { nonce, result }
}

/** Each request with a nonce is counted, once or more often: the positive twin of every rule that reads the count. */
export async function expectCounted(context: Context, client: LbClient): Promise<void> {
  const nonce = nonceFor(context)
  const counts: number[] = [0]
  for (let request = 0; request < 2; request++) {
    await client.send('GET', echo, withNonce(nonce, { repeats: true }))
    const { times } = await received(context, client, nonce)
    if (times <= (counts.at(-1) ?? 0)) {
      context.inconclusive(
        `the worker counts ${[...counts, times].join(', ')} after so many requests, which shows nothing`,
      )
    }
    counts.push(times)
  }
}

/** No request with these nonces has reached a worker by the last look. */
export async function expectNotReached(
  context: Context,
  clause: string,
  nonces: readonly string[],
  client = context.lb,
): Promise<void> {
  const { check, clock, lastRereadMs } = context
  await expectCounted(context, client)
  await clock.sleep(lastRereadMs())
  for (const nonce of nonces) {
    const { times, response } = await received(context, client, nonce)
    const expected = 'a request that does not reach the worker'
    check(clause).that(times === 0, expected, `it reached the worker ${times}×`, response)
  }
}

/** The report of the worker about the request that reached it. */
export async function echoed(
  { check }: Context,
  client: LbClient,
  clause: string,
  method: string,
  route: string,
  options?: RouteOptions,
) {
  const response = await client.send(method, route, options)
  check(clause).status(response, 200)
  return { response, echo: check(clause).object(response) }
}

/** All values of a header in the pairs that the worker reports; null if there is none. */
export function headerIn(pairs: unknown, wanted: string): string | null {
  const list = Array.isArray(pairs) ? pairs : []
  const values = list.filter((pair) => textIn(pair?.[0]).toLowerCase() === wanted.toLowerCase()).map((pair) => pair[1])
  return values.length === 0 ? null : values.map(textIn).join(', ')
}
