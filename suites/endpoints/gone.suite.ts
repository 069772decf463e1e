import type { ApiResponse } from '../../harness/client/api-response.ts'
import type { Call } from '../../harness/client/caller.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { idOrNumberIn } from '../../harness/exchange/read.ts'
import { inconclusiveIfOutage, isRefusal, responseText } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { submitTo } from '../shared/endpoint-jobs.ts'
import {
  createdEndpoint,
  expectNotCreated,
  get,
  listEndpoints,
  listWith,
  sectionOf,
  update,
} from '../shared/endpoints.ts'
import { poll, untilFound } from '../shared/poll.ts'
import { expectRefusal } from '../shared/refusal.ts'
import { rereadMoments } from '../shared/unchanged.ts'

rule('endpoints.unknown', { varies: ['order', 'sample', 'upkeep'], creates: 2 }, async (context) => {
  const { blocked, check, inconclusive, nextName, notJudged, on, part, vary } = context
  const removed = await createdEndpoint(context)
  const live = await createdEndpoint(context)
  const name = nextName()
  const read = await get(context, live.id)
  const isRead = part('management.read') && isSuccess(read.status)
  const updated = part('management.update') ? (await update(context, live.id, { name: nextName() })).status : null
  const isUpdated = updated !== null && isSuccess(updated)
  if (updated !== null && !isUpdated) notJudged('not-created', `an update of an endpoint has status ${updated}`)
  const deletion = await remove(context, removed.id)
  inconclusiveIfOutage(deletion)
  if (!isSuccess(deletion.status)) {
    // Its id may have been given to two endpoints, of which another rule has removed one.
    const cause = deletion.status === 404 ? 'endpoints.unique' : 'endpoints.deleted'
    blocked(cause, `a deletion was answered with ${responseText(deletion)}`)
  }
  await poll(context, context.target.tolerances.visibleMs, () => get(context, removed.id), isRefusal)
  const call = (operation: string, id: string, more: Call = {}) =>
    on('management').call(operation, { ids: { id }, mustBeRefused: true, ...more })
  const requests = [
    ...(isRead ? [(id: string) => call('getEndpoint', id)] : []),
    ...(isUpdated ? [(id: string) => call('updateEndpoint', id, { body: { name } })] : []),
    (id: string) => call('deleteEndpoint', id),
  ]
  for (const id of vary.ordered([removed.id, vary.unknownId(live.id)])) {
    for (const send of vary.ordered(requests)) expectRefusal(context, 'refused', await send(id))
  }
  await expectNotCreated(context, [name])
  // The description has no path for it, so a refusal may be one of the path.
  if (isRefusal(read)) inconclusive('a read does not show an endpoint that exists')
  check('kept').success(await get(context, live.id))
})

rule('endpoints.deleted', { varies: ['upkeep', 'look'] }, async (context) => {
  const { check, notJudged, part, target } = context
  const { id } = await createdEndpoint(context)
  await listWith(context, id)
  const mayServe = part('queue') && part('management.worker')
  const serves = mayServe && (await isServed())
  if (mayServe && !serves) notJudged('not-served', 'the endpoint has no /health before it is deleted')
  check('answered').success(serves && part('receiver') ? await removeBusy(context, id) : await remove(context, id))
  const { visibleMs } = target.tolerances
  const listing = await poll(context, visibleMs, () => listEndpoints(context), isUnlisted)
  expectGone(listing, serves ? await poll(context, visibleMs, health, isRefusal) : null)
  for await (const _ of rereadMoments(context)) {
    expectGone(await listEndpoints(context), serves ? await health() : null)
    if (!serves) continue
    expectRefusal(context, 'not-served', await context.queue.at(id).run({ input: {} }))
    expectRefusal(context, 'not-served', await context.queue.at(id).runsync({ input: {} }))
  }

  function health(): Promise<ApiResponse> {
    return context.queue.at(id).health()
  }

  async function isServed(): Promise<boolean> {
    return isSuccess((await untilFound(context, health)).status)
  }

  function isUnlisted({ endpoints }: Awaited<ReturnType<typeof listEndpoints>>): boolean {
    return !endpoints.some((one) => idOrNumberIn(one) === id)
  }

  function expectGone(listed: Awaited<ReturnType<typeof listEndpoints>>, served: ApiResponse | null): void {
    const expected = 'a list without the deleted endpoint'
    check('not-listed').that(isUnlisted(listed), expected, 'the deleted endpoint', listed.response)
    if (served !== null) expectRefusal(context, 'not-served', served)
  }
})

/** Deletes an endpoint while it executes a job; if that is refused, once its worker may have left. */
async function removeBusy(context: Context, id: string): Promise<ApiResponse> {
  const { clock, ended, target } = context
  const { coldStartMs, sweepMs } = target.tolerances
  // Finds a platform that keeps endpoints with results.
  await ended(await submitTo(context, id, { steps: [{ output: 1 }] }))
  const job = await submitTo(context, id, { steps: [{ hold: 'go' }] })
  await clock.until(job.beacon.started(), clock.now() + coldStartMs)
  const response = await remove(context, id)
  job.beacon.release('go')
  if (!isRefusal(response)) return response
  await ended(job)
  const leavesMs = sectionOf(context).idleTimeout * 1_000 + sweepMs
  return poll(
    context,
    leavesMs,
    () => remove(context, id),
    (again) => !isRefusal(again),
  )
}

function remove({ on }: Context, id: string): Promise<ApiResponse> {
  return on('management').call('deleteEndpoint', { ids: { id }, repeats: true })
}
