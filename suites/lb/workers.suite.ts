import type { Reply } from '../../harness/client/reply.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { mediaTypeOf } from '../../harness/exchange/media-type.ts'
import { membersOf, show } from '../../harness/exchange/read.ts'
import { answered } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { unlessUnanswered } from '../../harness/rule/outcome.ts'
import { rule } from '../../harness/rule/registry.ts'
import {
  besides,
  echo,
  exit,
  expectCounted,
  kills,
  nonceFor,
  received,
  serving,
  servingNormal,
  withNonce,
} from '../shared/balanced.ts'
import { object, text } from '../shared/readers.ts'

/** A slow request is held so long, and the count is read again so much later, ms on the target's clock. */
const slowMs = 20_000
const laterMs = 10_000
/** Echoes that show the names of the workers, and those that an endpoint must answer in a row after a crash. */
const several = 5

const errorBody = object({ error: text, detail: text })

rule(
  'lb.ready-only',
  async (context) => {
    const { check, clock, inconclusive, target } = context
    const client = await servingNormal(context)
    const before = new Set<string>()
    for (let echoes = 0; echoes < several; echoes++) before.add(workerOf(await serving(context, client)))
    await unlessUnanswered(client.send('POST', exit))
    const deadline = clock.now() + target.tolerances.coldStartMs
    for (;;) {
      const reply = await serving(context, client)
      const came = membersOf(reply.json)
      check('ready').that(came?.ready === true, 'a worker whose /ping was answered 200', `ready ${came?.ready}`, reply)
      if (!before.has(workerOf(reply))) return
      if (clock.now() >= deadline) return inconclusive('no request reached a worker that had just started')
      await clock.sleep(target.tolerances.pollMs)
    }
  },
  kills,
)

rule(
  'lb.no-retry',
  async (context) => {
    const { check, clock, inconclusive, lb, looks, part, target } = context
    const client = await servingNormal(context)
    await expectCounted(context, client)
    const nonces: [clause: string, nonce: string][] = []
    const next = (clause: string) => {
      const nonce = nonceFor(context)
      nonces.push([clause, nonce])
      return withNonce(nonce)
    }
    // POST: a GET that is not answered would be sent again by the client itself.
    const failed = await client.send('POST', '/plumbline/status/500', next('error'))
    if (failed.status !== 500) inconclusive(`a route that fails with 500 was answered ${failed.status}`)
    if (part('receiver')) {
      const beacon = context.beacon()
      const slow = lb.hold('POST', `/plumbline/hold/slow?beacon=${encodeURIComponent(beacon.url)}`, next('slow'))
      await clock.sleep(slowMs)
      beacon.release('slow')
      await clock.until(slow, clock.now() + target.tolerances.dispatchMs)
    }
    await unlessUnanswered(client.send('POST', exit, next('crash')))
    await serving(context, client)
    await clock.sleep(Math.max(laterMs, looks().at(-1) ?? 0))
    for (const [clause, nonce] of nonces) {
      const { times, reply } = await received(context, client, nonce)
      if (times === 0) inconclusive(`the request of the clause ${clause} did not reach the worker`)
      check(clause).that(
        times === 1,
        'a request that reaches the worker once',
        `it reached the worker ${times}×`,
        reply,
      )
    }
  },
  kills,
)

rule(
  'lb.no-queue',
  async (context) => {
    const { beacon: beaconOf, check, clock, inconclusive, target } = context
    const client = await servingNormal(context)
    const beacon = beaconOf()
    const { coldStartMs, dispatchMs } = target.tolerances
    const hold = (key: string) => client.hold('GET', `/plumbline/hold/${key}?beacon=${encodeURIComponent(beacon.url)}`)
    const requests = [hold('first'), hold('second')]
    const bothCome = async (ms: number) => {
      const deadline = clock.now() + ms
      const first = await clock.until(beacon.waiting('first'), deadline)
      const second = await clock.until(beacon.waiting('second'), deadline)
      return first !== null && second !== null
    }
    // Another worker may be started for the second one.
    const areServed = await bothCome(coldStartMs)
    if (!areServed) {
      beacon.release('first')
      beacon.release('second')
      if (!(await bothCome(dispatchMs))) return inconclusive('two concurrent requests did not both reach a worker')
    }
    check('concurrent').that(
      areServed,
      'two requests that are served at once',
      'one reaches the worker once the other has ended',
      null,
    )
    for (const key of ['first', 'second']) beacon.release(key)
    for (const request of requests) {
      const reply = await clock.until(request, clock.now() + dispatchMs)
      if (reply === null) return inconclusive('a request that was held was not answered')
      check('answered').status(reply, 200)
    }
  },
  besides,
)

rule(
  'lb.error-body',
  async (context) => {
    const { lb, part } = context
    const client = await servingNormal(context)
    expectError(context, 'unauthorized', await client.send('GET', echo, { authorization: null }))
    if (part('lb.unknown')) expectError(context, 'unknown', await lb.on('unknown').send('GET', echo))
    expectError(context, 'crash', await client.send('POST', exit))
  },
  kills,
)

rule(
  'lb.crash',
  async (context) => {
    const { check, clock, lb, target } = context
    const reply = await crashed(context)
    check('status').that((reply?.status ?? 0) >= 500, 'a 5xx status', statusOf(reply), reply)
    const { coldStartMs, pollMs } = target.tolerances
    const deadline = clock.now() + coldStartMs
    for (let [inRow, pause] = [0, pollMs]; inRow < several; ) {
      const again = await lb.send('GET', echo)
      const isServed = isSuccess(again.status)
      inRow = isServed ? inRow + 1 : 0
      const expected = `an endpoint that serves again within ${Math.round(coldStartMs / 1_000)} s`
      check('serves-again').that(isServed || clock.now() < deadline, expected, answered(again), again)
      if (isServed) continue
      await clock.sleep(pause)
      pause = Math.min(2 * pause, 4 * pollMs)
    }
  },
  kills,
)

rule(
  'lb.crash-500',
  async (context) => {
    const reply = await crashed(context)
    context.check('status').that(reply?.status === 500, 'status 500', statusOf(reply), reply)
  },
  kills,
)

/** The response to a request during which the worker dies; null if there is none, twice. */
async function crashed(context: Context): Promise<Reply | null> {
  for (let crashes = 1; ; crashes++) {
    const client = await servingNormal(context)
    const reply = await unlessUnanswered(client.send('POST', exit))
    if (reply !== null || crashes === 2) return reply
  }
}

function statusOf(reply: Reply | null): string {
  return reply === null ? 'no complete response' : `status ${reply.status}`
}

/** An error that the platform raised. */
function expectError({ check, inconclusive }: Context, clause: string, reply: Reply): void {
  if (reply.status < 400) inconclusive(`a request that must fail was answered ${reply.status}, which other rules judge`)
  const type = mediaTypeOf(reply.exchange.response?.headers ?? [])
  check(clause).that(type === 'application/json' || type?.endsWith('+json') === true, 'JSON', type ?? 'no type', reply)
  const mismatch = errorBody(reply.json, 'body')
  const observed = mismatch === null ? '' : `${mismatch.path}: ${mismatch.observed}`
  check(clause).that(mismatch === null, 'error and detail, both strings', observed, reply)
}

/** The name of the worker in its echo. */
function workerOf(reply: Reply): string {
  return show(membersOf(reply.json)?.worker)
}
