import type { OperationOf } from '../../generated/operations.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import type { Call, Caller } from '../../harness/client/caller.ts'
import { isSuccess, textOf } from '../../harness/exchange/exchange.ts'
import { idIn, membersOf, show } from '../../harness/exchange/read.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { managementPermissions } from '../../target/permissions.ts'
import {
  createdEndpoint,
  endpointBody,
  expectNotCreated,
  get,
  idleTimeoutOf,
  laterMs,
  listEndpoints,
  listWith,
} from '../shared/endpoints.ts'
import { type Authorizations, expired, isKnownKey, malformed, missing, neverIssued } from './authorizations.ts'

const options = { creates: 2, varies: ['order', 'sample'] } as const

rule('auth.management.missing', options, (context) => expectRefusedEverywhere(context, missing))

rule('auth.management.malformed', options, (context) => expectRefusedEverywhere(context, malformed(context)))

rule('auth.management.invalid', options, (context) => expectRefusedEverywhere(context, neverIssued(context)))

rule('auth.management.expired', options, (context) => expectRefusedEverywhere(context, expired(context)))

rule('auth.management.hidden', options, async (context) => {
  const { check, clock, on, vary } = context
  const stranger = on('management', 'stranger')
  const { endpoint, requests, expectUnchanged, expectAllWorked } = await workingEndpoints(context)
  const name = String(endpoint.body.name)
  const expectUnlisted = async () => {
    const { response, endpoints } = await listEndpoints(context, stranger)
    const isListed = endpoints.some((one) => idIn(one) === endpoint.id)
    const expected = 'a list without the endpoint of another account'
    check('not-listed').that(!isListed, expected, 'the endpoint of another account', response)
  }
  await listWith(context, endpoint.id)
  await expectUnlisted()
  for (const operation of vary.ordered(['getEndpoint', 'updateEndpoint', 'deleteEndpoint'] as const)) {
    const response = await requests.get(operation)?.(stranger, { mustBeRefused: true })
    if (response === undefined) continue
    check('refused').status(response, 403, 404)
    const isRevealed = (textOf(response.bytes) ?? '').includes(name)
    check('not-told').that(
      !isRevealed,
      'a refusal without the name of the endpoint',
      'the name of the endpoint',
      response,
    )
  }
  await expectUnchanged()
  await clock.sleep(laterMs)
  await expectUnchanged()
  await expectUnlisted()
  expectAllWorked()
})

rule('auth.management.forbidden', options, async (context) => {
  const { check, inconclusive, on, target, vary } = context
  const restricted = on('management', 'restricted')
  const { requests, expectNoEffect, expectAllWorked } = await workingEndpoints(context)
  for (const operation of vary.ordered(managementPermissions(target.grants.mayNot))) {
    const response = await requests.get(operation)?.(restricted, { mustBeRefused: true })
    if (response === undefined) continue
    if (response.status === 401 && !(await isKnownKey(context, 'restricted'))) {
      inconclusive('the restricted key is answered 401 and nothing shows that it is valid')
    }
    check('refused').status(response, 401, 403, 404)
  }
  await expectNoEffect()
  expectAllWorked()
})

/** Every operation is answered 401 with another Authorization, and has no effect. Each is under its clause. */
async function expectRefusedEverywhere(context: Context, others: Authorizations): Promise<void> {
  const { check, on, vary } = context
  const { requests, expectNoEffect, expectAllWorked } = await workingEndpoints(context)
  for (const [clause, authorization] of others) {
    for (const send of vary.ordered([...requests.values()])) {
      check(clause).status(await send(on('management'), { authorization }), 401)
    }
  }
  await expectNoEffect()
  expectAllWorked()
}

type Operation = OperationOf<'management'>

/** A request of endpoint management, for any key. */
type Send = (api: Caller, options?: Call) => Promise<ApiResponse>

/** A valid request of each operation of endpoint management, each shown to work with the owner's key. */
async function workingEndpoints(context: Context) {
  const { check, inconclusive, on, part } = context
  const api = on('management')
  const idle: string[] = []
  const works = (operation: Operation, { status }: ApiResponse) => {
    if (!isSuccess(status)) idle.push(`${operation} was answered ${status}`)
    return isSuccess(status)
  }
  const first = await createdEndpoint(context)
  const removes = works('deleteEndpoint', await api.call('deleteEndpoint', { ids: { id: first.id }, repeats: true }))
  const endpoint = await createdEndpoint(context)
  const ids = { id: endpoint.id }
  const update = (idleTimeout: number): Send => {
    return (caller, options) => caller.call('updateEndpoint', { ...options, ids, body: { idleTimeout } })
  }
  const updated = idleTimeoutOf(context, 2)
  const updates = part('management.update') && works('updateEndpoint', await update(updated)(api, { repeats: true }))
  await listEndpoints(context)
  const read = await get(context, endpoint.id)
  const reads = works('getEndpoint', read)
  const refused = endpointBody(context)

  const requests = new Map<Operation, Send>([
    ['listEndpoints', (caller, options) => caller.call('listEndpoints', options)],
    ['createEndpoint', (caller, options) => caller.call('createEndpoint', { ...options, body: refused })],
  ])
  if (reads) requests.set('getEndpoint', (caller, options) => caller.call('getEndpoint', { ...options, ids }))
  if (updates) requests.set('updateEndpoint', update(idleTimeoutOf(context, 3)))
  if (removes) requests.set('deleteEndpoint', (caller, options) => caller.call('deleteEndpoint', { ...options, ids }))

  /** The endpoint is as it was. */
  async function expectUnchanged(): Promise<void> {
    const after = await get(context, endpoint.id)
    if (!reads) return
    check('unchanged').status(after, read.status)
    const [was, is] = [read, after].map(({ json }) => show(membersOf(json)?.idleTimeout))
    // The update of the owner may be visible some seconds later.
    const isOwn = [was, show(endpoint.body.idleTimeout), show(updated)].includes(is)
    check('unchanged').that(isOwn, `idleTimeout ${was}`, `idleTimeout ${is}`, after)
  }

  return {
    /** The endpoint that the requests are about. */
    endpoint,
    /** The operations that work, the one that would delete the endpoint last. */
    requests,
    expectUnchanged,
    /** The same, at once and a little later, and no endpoint was created. */
    async expectNoEffect() {
      await expectUnchanged()
      await expectNotCreated(context, [String(refused.name)])
      await expectUnchanged()
    },
    /** Ends the rule as inconclusive if an operation was left out. */
    expectAllWorked() {
      if (idle.length > 0) inconclusive(`${idle.join(', ')} with a full key, so a refusal shows nothing about the key`)
    },
  }
}
