import { textOf } from '../../harness/exchange/exchange.ts'
import { idIn } from '../../harness/exchange/read.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { laterMs, listEndpoints, listWith } from '../shared/endpoints.ts'
import { type Authorizations, expired, malformed, missing, neverIssued } from './authorizations.ts'
import { workingEndpoints } from './endpoint-operations.ts'

const options = { creates: 2, varies: ['order'] } as const

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
    const { reply, endpoints } = await listEndpoints(context, stranger)
    const isListed = endpoints.some((one) => idIn(one) === endpoint.id)
    const expected = 'a list without the endpoint of another account'
    check('not-listed').that(!isListed, expected, 'the endpoint of another account', reply)
  }
  await listWith(context, endpoint.id)
  await expectUnlisted()
  for (const operation of vary.ordered(['getEndpoint', 'updateEndpoint', 'deleteEndpoint'] as const)) {
    const reply = await requests.get(operation)?.(stranger, { repeats: true })
    if (reply === undefined) continue
    check('refused').status(reply, 403, 404)
    const isTold = (textOf(reply.bytes) ?? '').includes(name)
    check('not-told').that(!isTold, 'a refusal without the name of the endpoint', 'the name of the endpoint', reply)
  }
  await expectUnchanged()
  await clock.sleep(laterMs)
  await expectUnchanged()
  await expectUnlisted()
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
