import type { ApiResponse } from '../../harness/client/api-response.ts'
import { outagePausesMs } from '../../harness/client/retry.ts'
import { pollOn } from '../../harness/clock/poll.ts'
import { isSuccess, mediaTypeOf } from '../../harness/exchange/exchange.ts'
import { membersOf, show } from '../../harness/exchange/read.ts'
import type { LbClient } from '../../harness/planes/lb/client.ts'
import type { Beacon } from '../../harness/receiver/types.ts'
import { inconclusiveIfOutage, isOutage, responseText } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { unlessUnanswered } from '../../harness/rule/outcome.ts'
import { rule } from '../../harness/rule/registry.ts'
import { responsesTo } from '../shared/at-once.ts'
import {
  echo,
  exit,
  expectCounted,
  kills,
  methods,
  nonceFor,
  reaching,
  received,
  sentOnce,
  serving,
  servingNormal,
  usesNormalLooking,
  withNonce,
} from '../shared/balanced.ts'
import { poll } from '../shared/poll.ts'
import { object, text } from '../shared/readers.ts'

/** A slow request is held so long, and the count is read again so much later, ms on the target's clock. */
const [slowMs, laterMs] = [20_000, 10_000]
/** The most workers that are killed until the one that serves a given request dies. */
const maxCrashes = 2
/** Echoes that show the names of workers. */
const several = 5
/** Requests in a row that an endpoint must answer after a crash: some may still go to the worker that died. */
const leastInRow = 8
/** Numbers of requests that are under way together; the worker serves that many at once. */
const concurrent = [
  ...[2, 4, 8].map((number) => ({ number, role: 'normal' as const })),
  { number: 8, role: 'second' as const },
]

/** Statuses of workers after which a few gateways send a request again. */
const rareStatuses = [507, 505, 520, 524, 529] as const

const errorBody = object({ error: text, detail: text })

rule('lb.ready-only', kills, async (context) => {
  const { check, inconclusive, target } = context
  const client = await servingNormal(context)
  const before = new Set<string>()
  for (let echoes = 0; echoes < several; echoes++) before.add(workerOf(await serving(context, client)))
  const look = async () => {
    const response = await serving(context, client)
    const came = membersOf(response.json)
    check('ready').that(came?.ready === true, 'a worker whose /ping was answered 200', `ready ${came?.ready}`, response)
    return { isNewSeen: !before.has(workerOf(response)) }
  }
  const { isNewSeen } = await crashWorker(context, () =>
    poll(context, target.tolerances.coldStartMs, look, (seen) => seen.isNewSeen),
  )
  if (!isNewSeen) inconclusive('no request reached a worker that had just started')
})

rule('lb.no-retry', { ...kills, varies: ['sample'] }, async (context) => {
  const { beacon: beaconOf, check, clock, lastRereadMs, lb, part, target, vary } = context
  const client = lb
  const clients = part('lb.second') ? [client, lb.on('second')] : [client]
  const sent: { clause: string; nonce: string; on: LbClient; least: number }[] = []
  for (const on of clients) {
    await serving(context, on)
    await expectCounted(context, on)
    // Gateways often repeat only the methods that may be repeated.
    for (const method of methods) {
      const { nonce, response } = await sentOnce(context, on, method, '/plumbline/status/500')
      // Something else may have answered in place of the worker.
      sent.push({ clause: 'error', nonce, on, least: response.status === 500 ? 1 : 0 })
    }
  }
  const rare = vary.sample('rare status', rareStatuses, String)
  for (const status of [408, 425, 429, 501, 502, 503, 504, rare]) {
    for (const method of ['POST', 'GET']) {
      const nonce = nonceFor(context)
      await client.send(method, `/plumbline/status/${status}`, withNonce(nonce, { raw429: true }))
      // A gateway may give such a response itself, before any worker.
      sent.push({ clause: 'error', nonce, on: client, least: 0 })
    }
  }
  if (part('receiver')) {
    const { nonce } = await reaching(context, async (nonce) => {
      const beacon = beaconOf()
      const slow = client.hold('POST', holdRoute('slow', beacon), withNonce(nonce))
      await clock.sleep(slowMs)
      beacon.release('slow')
      await clock.until(slow, clock.now() + target.tolerances.dispatchMs)
    })
    sent.push({ clause: 'slow', nonce, on: client, least: 1 })
    const method = vary.sample('crash', ['GET', 'PUT'], String)
    sent.push({ clause: 'crash', nonce: await crashDuring(context, method), on: client, least: 1 })
  }
  const { nonce } = await crashWorker(context, expectServesAgain)
  sent.push({ clause: 'crash', nonce, on: client, least: 1 })
  await clock.sleep(Math.max(laterMs, lastRereadMs()))
  for (const { clause, nonce, on, least } of sent) {
    const { times, response } = await received(context, on, nonce)
    const expected = `a request that reaches the worker ${least === 0 ? 'at most ' : ''}once`
    check(clause).that(times >= least && times <= 1, expected, `it reached the worker ${times}×`, response)
  }
})

rule('lb.no-queue', usesNormalLooking, async (context) => {
  const { beacon: beaconOf, check, clock, inconclusive, lb, part, target, vary } = context
  const offered = part('lb.second') ? concurrent : concurrent.filter(({ role }) => role === 'normal')
  const drawn = vary.sample('concurrent requests', offered, ({ number, role }) => `${number}, ${role}`)
  const { number, role } = drawn ?? { number: 2, role: 'normal' }
  const client = role === 'normal' ? lb : lb.on(role)
  await serving(context, client)
  const { coldStartMs, dispatchMs } = target.tolerances

  /** Requests that the worker holds: how each of them first ended to wait, and its response. */
  async function held() {
    const beacon = beaconOf()
    const requests = Array.from({ length: number }, (_, at) => {
      const route = holdRoute(`request-${at}`, beacon)
      const response = client.hold(at % 2 === 0 ? 'GET' : 'POST', route, { once: true, raw429: true })
      const { comes } = beacon.waiting(`request-${at}`)
      const next = () => Promise.race([comes.then(() => 'reached'), response.comes.then(() => 'answered')])
      return { at, next, response }
    })
    const nextOf = async (ms: number) => {
      const deadline = clock.now() + ms
      const seen: (string | null)[] = []
      for (const { next } of requests) seen.push(await clock.until(next(), deadline))
      return seen
    }
    // More workers may be started for them.
    const first = await nextOf(coldStartMs)
    for (const { at } of requests) beacon.release(`request-${at}`)
    const last = first.includes(null) ? await nextOf(dispatchMs) : first
    const responses = await responsesTo(
      context,
      requests.map(({ response }) => response),
      dispatchMs,
    )
    return requests.map(({ at }) => ({ first: first[at], last: last[at], response: responses[at] ?? null }))
  }

  const requests = await pollOn(clock, outagePausesMs, held, (all) =>
    all.every(({ response }) => response === null || !isOutage(response)),
  )
  // A worker answers at once what comes after the release.
  const isQueued = ({ first, response }: (typeof requests)[number]) => first === null && response?.status === 200
  const reached = requests.filter((one) => one.last === 'reached' || isQueued(one))
  if (reached.length < 2) inconclusive('two concurrent requests did not both reach a worker')
  const queued = reached.filter(({ first }) => first === null).length
  const observed = `${queued} of ${number} reached a worker only once others had ended`
  check('concurrent').that(queued === 0, `${number} requests that are served or refused at once`, observed, null)
  // A platform may refuse what its workers have no room for.
  for (const { response } of reached) {
    if (response === null) return inconclusive('a request that was held was not answered')
    check('answered').status(response, 200)
  }
})

rule('lb.error-body', kills, async (context) => {
  const { blocked, lb, notJudged, part } = context
  const client = await servingNormal(context)
  const expectOwnError = (clause: string, response: ApiResponse) => {
    inconclusiveIfOutage(response)
    expectError(context, clause, response)
  }
  for (const method of methods) {
    for (const authorization of [null, `Bearer ${context.unissuedToken}`, 'Bearer', 'Basic cGx1bWI6bGluZQ=='])
      expectOwnError('unauthorized', await client.send(method, echo, { authorization, repeats: true }))
  }
  if (part('lb.unknown'))
    for (const method of methods) expectOwnError('unknown', await lb.on('unknown').send(method, echo))
  const others = [
    ['expired', 'auth.lb.expired', part('key.expired')],
    ['stranger', 'auth.lb.hidden', part('key.stranger')],
    ['restricted', 'auth.lb.forbidden', part('key.restricted') && part('lb.restricted')],
  ] as const
  for (const [key, rule, isThere] of others) {
    if (!isThere) continue
    const response = await context.lbAs(key).send('GET', echo)
    if (response.status >= 400) expectOwnError(key, response)
    else notJudged(key, `${rule} judges that the key is refused`)
  }
  const { response } = await crashWorker(context, expectServesAgain)
  if (response === null) return blocked('lb.crash', 'a request during which the worker died had no complete response')
  expectError(context, 'crash', response)
})

rule('lb.crash', kills, async (context) => {
  const { check } = context
  const { response } = await crashWorker(context, expectServesAgain)
  check('status').that((response?.status ?? 0) >= 500, 'a 5xx status', statusOf(response), response)
})

rule('lb.crash-500', kills, async (context) => {
  const { response } = await crashWorker(context, expectServesAgain)
  context.check('status').that(response?.status === 500, 'status 500', statusOf(response), response)
})

/**
 * Kills a worker by a request. If there was no response, it tries once more. `after` waits until the endpoint serves again;
 * then several requests in a row are to succeed, for as long as a worker may take to start.
 * @returns the response, or null if both requests had none
 */
async function crashWorker<T extends object>(
  context: Context,
  after: (context: Context, client: LbClient) => Promise<T>,
): Promise<T & { readonly nonce: string; readonly response: ApiResponse | null }> {
  for (let crashes = 1; ; crashes++) {
    const client = await servingNormal(context)
    const { nonce, result } = await reaching(context, async (nonce) => {
      const response = await unlessUnanswered(client.send('POST', exit, withNonce(nonce)))
      return { ...(await after(context, client)), response }
    })
    await inRow(context, client)
    if (result.response !== null || crashes === 2) return { ...result, nonce }
  }
}

/** Kills workers until one dies that serves a request which gateways often repeat then. Returns the nonce of that request. */
async function crashDuring(context: Context, method: string): Promise<string> {
  const { beacon: beaconOf, clock, lb, notJudged, target } = context
  const { nonce, result } = await reaching(context, async (nonce) => {
    const beacon = beaconOf()
    const request = lb.hold(method, holdRoute('dying', beacon), withNonce(nonce))
    // A time limit ends a request with 504.
    const over = request.comes.then(
      ({ status }) => status >= 500 && status !== 504,
      () => true,
    )
    await clock.until(beacon.waiting('dying'), clock.now() + target.tolerances.coldStartMs)
    let hasDied: boolean | null = (await clock.until(over, clock.now())) === null ? null : false
    for (let crashes = 0; crashes < maxCrashes && hasDied === null; crashes++) {
      await crashWorker(context, expectServesAgain)
      hasDied = await clock.until(over, clock.now() + target.tolerances.dispatchMs)
    }
    beacon.release('dying')
    await clock.until(over, clock.now() + target.tolerances.dispatchMs)
    return hasDied === true
  })
  if (!result) notJudged(`crash during a ${method}`, 'no worker died that served it')
  return nonce
}

/**
 * The endpoint answers several requests in a row within the tolerance `coldStart`. Each rule that kills a worker checks this:
 * once no worker is left, only the first of them can show why.
 */
async function expectServesAgain(context: Context, client: LbClient): Promise<object> {
  const seconds = Math.round(context.target.tolerances.coldStartMs / 1_000)
  const { count, last } = await inRow(context, client)
  const expected = `an endpoint that serves again within ${seconds} s`
  context.check('serves-again').that(count === leastInRow, expected, responseText(last), last)
  return {}
}

/** Sends requests until several in a row succeed: how many did, and the last response. */
function inRow(context: Context, client: LbClient) {
  const look = async () => {
    for (let count = 1; ; count++) {
      const last = await client.send('GET', echo, { repeats: false })
      if (!isSuccess(last.status)) return { count: 0, last }
      if (count === leastInRow) return { count, last }
    }
  }
  return poll(context, context.target.tolerances.coldStartMs, look, ({ count }) => count === leastInRow)
}

function holdRoute(key: string, beacon: Beacon): string {
  return `/plumbline/hold/${key}?beacon=${encodeURIComponent(beacon.url)}`
}

function statusOf(response: ApiResponse | null): string {
  return response === null ? 'no complete response' : `status ${response.status}`
}

/** An error that the platform raised. */
function expectError({ check, inconclusive }: Context, clause: string, response: ApiResponse): void {
  if (response.status < 400)
    inconclusive(`a request that must fail was answered ${response.status}, which other rules judge`)
  const type = mediaTypeOf(response.exchange.response?.headers ?? [])
  check(clause).that(
    type === 'application/json' || type?.endsWith('+json') === true,
    'JSON',
    type ?? 'no type',
    response,
  )
  const mismatch = errorBody(response.json, 'body')
  const observed = mismatch === null ? '' : `${mismatch.path}: ${mismatch.observed}`
  check(clause).that(mismatch === null, 'error and detail, both strings', observed, response)
}

/** The name of the worker in its echo. */
function workerOf(response: ApiResponse): string {
  return show(membersOf(response.json)?.worker)
}
