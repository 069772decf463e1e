import { tables } from '../../generated/tables.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { idOrNumberIn, type Members, membersOf, show } from '../../harness/exchange/read.ts'
import { inconclusiveIfOutage, responseText } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { responsesTo } from '../shared/at-once.ts'
import {
  create,
  createdEndpoint,
  endpointBody,
  expectNotCreated,
  expectUpdatable,
  get,
  isQuotaUsed,
  laterMs,
  listEndpoints,
  namedId,
  retryWhileQuotaIsUsed,
  saysQuota,
  update,
  workersOf,
} from '../shared/endpoints.ts'
import { poll, untilFound } from '../shared/poll.ts'

/** How many creations are sent at once. */
const atOnce = 20

const quota = tables.quotas.workers

rule('endpoints.quota', { alone: true }, async (context) => {
  const left = await leftOfQuota(context)
  // The last worker is an endpoint of its own.
  const ids = await useUp(context, 'exact', left - 1)
  ids.push(...(await useUp(context, 'exact', 1, ids.length > 0)))
  const body = endpointBody(context)
  const refused = await context.on('management').call('createEndpoint', { body, mustBeRefused: true })
  expectOverQuota(context, refused)
  await expectDefaultCounted(context)
  const remove = { ids: { id: ids[0] ?? '' }, repeats: true }
  await untilFound(context, () => context.on('management').call('deleteEndpoint', remove))
  await expectNotCreated(context, [String(body.name)])
})

/** With the quota used up, an endpoint without workersMax is refused or has none. */
async function expectDefaultCounted(context: Context): Promise<void> {
  const { check, notJudged } = context
  const { workersMax: _, ...body } = endpointBody(context)
  const response = await context.on('management').call('createEndpoint', { body })
  if (!isSuccess(response.status)) return
  const { workersMax } = membersOf(response.json) ?? {}
  if (typeof workersMax !== 'number')
    return notJudged('an endpoint without workersMax', 'the response does not show it')
  check('default').that(workersMax <= 0, `${quota} workers at most`, `${quota + workersMax} workers`, response)
}

rule('endpoints.quota-race', { alone: true }, async (context) => {
  const { check, inconclusive, on } = context
  await expectWithinQuota(context)
  const all = await leftOfQuota(context)
  const workersMax = workersOf(context, sizeFor(all))
  // Endpoints with few workers each would fit into what is left.
  const used = await useUp(context, 'rest', Math.max(0, all - atOnce * workersMax + 1))
  let maxWorkers = all
  if (used.length > 0) {
    await expectWithinQuota(context)
    maxWorkers = await leftOfQuota(context, used)
  }
  const race = async () => {
    const bodies = Array.from({ length: atOnce }, () => endpointBody(context, { workersMax }))
    const coming = bodies.map((body) => on('management').begin('createEndpoint', { body }))
    return (await responsesTo(context, coming)).filter((response) => response !== null)
  }
  // Workers of endpoints that other rules deleted may count for a while.
  const responses = await retryWhileQuotaIsUsed(context, race, (tried) => tried.length > 0 && tried.every(isQuotaUsed))
  const made = responses.filter(({ status }) => isSuccess(status))
  const [last = inconclusive('no creation was answered')] = made.length > 0 ? made.slice(-1) : responses
  // Other rules judge whether a response has an id.
  const madeIds = made.flatMap(({ json }) => idOrNumberIn(json) ?? [])
  const isOwn = new Set(madeIds).size === madeIds.length
  check('ids').that(isOwn, 'an id for each endpoint', 'an id of two endpoints', last)
  const workers = made.length * workersMax
  check('sum').that(workers <= maxWorkers, `at most ${maxWorkers} more workers`, `${workers} more workers`, last)
  // What the race left of the quota can be used: no refused creation keeps a part of it.
  await expectWithinQuota(context)
  await useUp(context, 'rest', await leftOfQuota(context, [...used, ...madeIds]), made.length > 0)
  if (made.length === 0) inconclusive(`none of ${atOnce} creations at once succeeded`)
})

rule('endpoints.quota-update', { alone: true }, async (context) => {
  const { check, clock, inconclusive, on, target } = context
  const all = await leftOfQuota(context)
  // The update beyond the quota must not exceed what an endpoint may have.
  const left = Math.min(all, workersOf(context, all + 1) - 1)
  if (left === 0) inconclusive('an endpoint has one worker at most, so no update exceeds the quota')
  await useUp(context, 'unchanged', all - left)
  const { id } = await createdEndpoint(context)
  const within = await retryWhileQuotaIsUsed(context, () => update(context, id, { workersMax: left }), isQuotaUsed)
  if (!isSuccess(within.status)) await expectUpdatable(context, id, 'within', within, { workersMax: 2 })
  await expectWorkers((shown) => inconclusive(`workersMax is ${show(shown)} after an update to ${left}`))
  const more = { body: endpointBody(context), mustBeRefused: true }
  expectOverQuota(context, await on('management').call('createEndpoint', more))
  expectOverQuota(context, await update(context, id, { workersMax: left + 1 }))
  for (const ms of [0, laterMs]) {
    if (ms > 0) await clock.sleep(ms)
    await expectWorkers((shown, at) =>
      check('unchanged').that(false, `workersMax ${left}`, `workersMax ${show(shown)}`, at),
    )
  }

  /** Reads until the last update may be expected to be visible. */
  async function expectWorkers(otherwise: (shown: unknown, at: ApiResponse) => void): Promise<void> {
    const workersIn = ({ json }: ApiResponse) => membersOf(json)?.workersMax
    const look = async () => {
      const response = await get(context, id)
      check('unchanged').saw(response)
      return response
    }
    const last = await poll(context, target.tolerances.visibleMs, look, (seen) => workersIn(seen) === left)
    if (workersIn(last) !== left) otherwise(workersIn(last), last)
  }
})

/** Uses up workers of the quota with endpoints that have no more than each may have; their ids. */
async function useUp(context: Context, clause: string, workers: number, succeeded = false): Promise<string[]> {
  const ids: string[] = []
  for (let left = workers; left > 0; left -= workersOf(context, left)) {
    // Workers of endpoints that other rules deleted may count for a while.
    const body = endpointBody(context, { workersMax: workersOf(context, left) })
    const response = await createWithin(context, body, succeeded || ids.length > 0)
    context.check(clause).success(response)
    ids.push(idOrNumberIn(response.json) ?? (await namedId(context, String(body.name))) ?? '')
  }
  return ids
}

/**
 * Creates an endpoint with a part of the quota. If it is refused without a word of the quota, first shows that a plain creation
 * succeeds, unless one has `succeeded`.
 */
async function createWithin(context: Context, body: Members, succeeded: boolean): Promise<ApiResponse> {
  const response = await create(context, body)
  if (!succeeded && !isSuccess(response.status) && !saysQuota(response)) await createdEndpoint(context)
  return response
}

/** The least size with which the creations exceed what is left, and do not use up all of it where that is possible. */
function sizeFor(left: number): number {
  const least = Math.floor(left / atOnce) + 1
  for (let size = least; size < left; size++) if (left % size > 0) return size
  return least
}

/** Any refusal will do: its status is not described, its message is. */
function expectOverQuota({ check }: Context, response: ApiResponse): void {
  if (!saysQuota(response)) inconclusiveIfOutage(response)
  check('refused').that(response.status >= 400, 'a refusal', `status ${response.status}`, response)
  const expected = 'a message that max workers across all endpoints must not exceed the workers quota'
  check('message').that(saysQuota(response), expected, responseText(response), response)
}

/** All endpoints together have no more workers than the quota, unless those of others alone have more. */
async function expectWithinQuota(context: Context): Promise<void> {
  if (!context.offers('management.read')) return
  const isOther = othersIn(context)
  const look = async () => {
    const { response, endpoints } = await listEndpoints(context)
    let sum = 0
    for (const one of endpoints.toSorted((a, b) => Number(isOther(b)) - Number(isOther(a)))) {
      const { workersMax } = one
      if (typeof workersMax !== 'number') return null
      // The list may still show endpoints that are deleted.
      const isThere = isOther(one) || isSuccess((await get(context, idOrNumberIn(one) ?? '')).status)
      if (isThere) sum += workersMax
      if (isOther(one) && sum > quota) return null
    }
    return { response, isWithin: sum <= quota }
  }
  // Reads may still show them as well.
  const seen = await poll(context, context.target.tolerances.visibleMs, look, (last) => last?.isWithin !== false)
  if (seen === null) return
  context.check('sum').that(seen.isWithin, `${quota} workers at most`, 'more workers', seen.response)
}

/** Picks the endpoints that this run did not create. */
function othersIn({ nextName }: Context): (endpoint: Members) => boolean {
  const [run = ''] = nextName().match(/^plumbline-[^-]+/) ?? []
  return ({ name }) => typeof name === 'string' && !name.includes(run)
}

/**
 * How many workers of the quota no endpoint of the account has. Ends the rule as inconclusive if none are left, or the
 * list does not tell.
 * @param ids the endpoints of this run: the list may still show others that are deleted, or not show these yet.
 */
async function leftOfQuota(context: Context, ids: readonly string[] = []): Promise<number> {
  const { inconclusive, target } = context
  const isOther = othersIn(context)
  const look = async () => {
    const { endpoints, page } = await listEndpoints(context)
    if (page !== null) inconclusive(page)
    const own = endpoints.filter((one) => !isOther(one)).map(idOrNumberIn)
    const isWhole = ids.every((id) => own.includes(id))
    return { endpoints, isWhole, isCurrent: isWhole && own.length === ids.length }
  }
  const seen = await poll(context, target.tolerances.visibleMs, look, ({ isCurrent }) => isCurrent)
  if (!seen.isWhole) inconclusive('the list does not show an endpoint that exists, so workers cannot be counted')
  const workers = seen.endpoints.map(({ workersMax }) => workersMax)
  if (!workers.every((one) => typeof one === 'number')) {
    return inconclusive('the list does not show workersMax of each endpoint, so workers cannot be counted')
  }
  const used = workers.reduce((sum, one) => sum + one, 0)
  if (used < quota || ids.length > 0) return quota - used
  return inconclusive(
    `the endpoints of the account have ${used} workers of its quota of ${quota}; delete some or lower their workersMax`,
  )
}
