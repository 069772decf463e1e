import { idOrNumberIn, membersOf, show } from '../../harness/exchange/read.ts'
import type { Context } from '../../harness/rule/context.ts'
import {
  createdEndpoint,
  endpointBody,
  expectNotCreated,
  get,
  idleTimeoutOf,
  laterMs,
  listEndpoints,
  listWith,
  update,
} from '../shared/endpoints.ts'
import { type AuthPlane, createTwins } from './plane.ts'

/** Requests about one endpoint. Another one is deleted first to show that deletion works. */
export const endpoints: AuthPlane = {
  options: { creates: 2, varies: ['order', 'sample'] },
  partOf: { getEndpoint: 'management.read', updateEndpoint: 'management.update' },
  reads: ({ on }) => [
    { operation: 'listEndpoints', send: (key, options) => on('management', key).call('listEndpoints', options ?? {}) },
  ],
  async arrange(context, wanted) {
    const { check, clock, on, part } = context
    const twins = createTwins(context)
    const { id: removed } = await createdEndpoint(context)
    const removal = await on('management').call('deleteEndpoint', { ids: { id: removed }, repeats: true })
    twins.works('deleteEndpoint', removal)
    const { id, body } = await createdEndpoint(context)
    const updated = idleTimeoutOf(context, 2)
    if (part('management.update')) twins.works('updateEndpoint', await update(context, id, { idleTimeout: updated }))
    const { response } = await listEndpoints(context)
    twins.works('listEndpoints', response)
    const read = await get(context, id)
    const isRead = twins.works('getEndpoint', read)
    const refused = endpointBody(context)
    const requests = await twins.requests<'management'>(wanted, {
      ids: { id },
      calls: {
        createEndpoint: { body: refused },
        updateEndpoint: { body: { idleTimeout: idleTimeoutOf(context, 3) } },
      },
      send: (operation, key, call) => on('management', key).call(operation, call),
    })

    async function expectUnchanged(): Promise<void> {
      if (!isRead) return
      const after = await get(context, id)
      check('unchanged').status(after, read.status)
      const [was, is] = [read, after].map(({ json }) => show(membersOf(json)?.idleTimeout))
      // The update of the owner may be visible some seconds later.
      const isOwn = [was, show(body.idleTimeout), show(updated)].includes(is)
      check('unchanged').that(isOwn, `idleTimeout ${was}`, `idleTimeout ${is}`, after)
    }

    return {
      requests,
      async expectNoEffect() {
        await expectUnchanged()
        if (requests.some(({ operation }) => operation === 'createEndpoint'))
          await expectNotCreated(context, [String(refused.name)])
        else await clock.sleep(laterMs)
        await expectUnchanged()
      },
      expectAllWorked: () => twins.expectAllWorked(),
      secrets: () => ({ 'the name of the endpoint': String(body.name) }),
      expectUnlisted: () => expectUnlisted(context, id),
    }
  },
}

async function expectUnlisted(context: Context, id: string): Promise<void> {
  await listWith(context, id)
  const { response, endpoints } = await listEndpoints(context, context.on('management', 'stranger'))
  const isListed = endpoints.some((one) => idOrNumberIn(one) === id)
  const what = 'the endpoint of another account'
  context.check('not-listed').that(!isListed, `a list without ${what}`, what, response)
}
