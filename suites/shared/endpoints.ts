import type { ApiResponse } from '../../harness/client/api-response.ts'
import { deliberate } from '../../harness/client/retry.ts'
import { doublingPauses, pollOn } from '../../harness/clock/poll.ts'
import { isSuccess, textOf } from '../../harness/exchange/exchange.ts'
import {
  idOrNumberIn,
  listOf,
  type Members,
  membersOf,
  noListText,
  resourcesIn,
  show,
  textIn,
} from '../../harness/exchange/read.ts'
import { managementFoundations } from '../../harness/planes/management/foundations.ts'
import { inconclusiveIfOutage, isOutage, responseText } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import type { ManagementPlane } from '../../target/types.ts'
import { blockedBy } from './job-responses.ts'
import { isNamed } from './listing.ts'
import { pageText } from './pages.ts'
import { poll, untilFound } from './poll.ts'

/** How long a creation waits for the workers of other rules, or for an API that is out, ms. */
const quotaWaitMs = 60_000

export function sectionOf({ target, inconclusive }: Context): ManagementPlane {
  return target.management ?? inconclusive('the target has no endpoint management')
}

/** A valid creation body with every stated member. It has one worker at most, and none until a job comes. */
export function endpointBody(context: Context, more: Members = {}): Members {
  const { extra, gpus, template } = sectionOf(context)
  return {
    name: context.nextName(),
    templateId: template,
    gpuTypeIds: gpus.slice(0, 1),
    workersMin: 0,
    workersMax: 1,
    idleTimeout: idleTimeoutOf(context),
    ...extra,
    ...more,
  }
}

/** So many times the shortest idleTimeout, in the unit of the target. */
export function idleTimeoutOf(context: Context, times = 1): number {
  const { idleTimeout, idleUnit } = sectionOf(context)
  return times * idleTimeout * (idleUnit === 's' ? 1 : 1_000)
}

/** So many workers, or as many as an endpoint may have. */
export function workersOf(context: Context, wanted: number): number {
  return Math.min(wanted, sectionOf(context).workersMax)
}

/**
 * Creates an endpoint. Repeats it for a while if other rules have all workers, or a gateway responds. If that lasts while the
 * list is answered, the response is that of the creation.
 */
export async function create(context: Context, body: Members, isUsed = isQuotaUsed): Promise<ApiResponse> {
  const api = context.on('management')
  const response = await retryWhileQuotaIsUsed(context, () => api.call('createEndpoint', { body }), isUsed)
  // A list shows the ledger of resources the id that a response lacks.
  const isWithoutId = isSuccess(response.status) && idOrNumberIn(response.json) === null
  const list = isWithoutId || isOutage(response) ? await api.call('listEndpoints') : response
  return isOutage(response) && !isOutage(list) ? deliberate(response) : response
}

/** Repeats `send` for a while: workers of deleted endpoints may count for some seconds. */
export function retryWhileQuotaIsUsed<T>(
  { clock }: Context,
  send: () => Promise<T>,
  isUsed: (result: T) => boolean,
  longestMs = quotaWaitMs,
): Promise<T> {
  return pollOn(clock, doublingPauses(1_000, 4_000, longestMs), send, (result) => !isUsed(result))
}

/**
 * Creates an endpoint for this rule. Creations have succeeded, so a refusal may be one of the quota, whatever it says. Ends
 * the rule as inconclusive if the account has no worker left. If it lasts, the rule fails if a plain creation succeeds, and is
 * blocked if not.
 */
export async function createdEndpoint(context: Context, more: Members = {}) {
  const { blocked, relies } = context
  await relies(managementFoundations.created)
  const body = endpointBody(context, more)
  const response = await create(context, body, ({ status }) => !isSuccess(status))
  inconclusiveIfOutage(response)
  inconclusiveIfQuotaIsUsed(context, response)
  const id = isSuccess(response.status)
    ? (idOrNumberIn(response.json) ?? (await namedId(context, String(body.name))))
    : null
  if (id === null) {
    const observed = responseText(response)
    if (Object.keys(more).length > 0) await expectPlatformBound(context, more, response)
    return blocked(
      'endpoints.create',
      `the creation of an endpoint from the template ${body.templateId} was answered with ${observed}`,
    )
  }
  await untilFound(context, () => get(context, id))
  if (context.vary.draw('upkeep') === 'updated') await updateHarmlessly(context, id, body.idleTimeout)
  return { id, body, response }
}

/**
 * If an endpoint without these members can be created, a refusal may be a bound of the platform, unless it depends on the order
 * of the GPU types. Any other response is a fault.
 */
async function expectPlatformBound(context: Context, more: Members, response: ApiResponse): Promise<void> {
  const isAccepted = async (members: Members) =>
    isSuccess((await create(context, endpointBody(context, members))).status)
  if (!(await isAccepted({}))) return
  const isRefusal = response.status >= 400 && response.status < 500
  const types = listOf(more, 'gpuTypeIds')?.toReversed() ?? []
  // Refused again: the types did not become available meanwhile.
  const isOrder =
    isRefusal && types.length > 1 && (await isAccepted({ ...more, gpuTypeIds: types })) && !(await isAccepted(more))
  const like = isOrder ? 'as with its GPU types reversed' : 'as without other members'
  if (!isRefusal || isOrder)
    context.check('created').that(false, `a success, ${like}`, responseText(response), response)
  context.inconclusive(`an endpoint with ${show(more)} is refused, and one without is not`)
}

/** Changes the idleTimeout of an endpoint and changes it back. */
async function updateHarmlessly(context: Context, id: string, idleTimeout: unknown): Promise<void> {
  for (const value of [idleTimeoutOf(context, 2), idleTimeout]) {
    if (!isSuccess((await update(context, id, { idleTimeout: value })).status)) return context.vary.fellBack('upkeep')
  }
}

export async function namedId(context: Context, name: string): Promise<string | null> {
  const { endpoints } = await listEndpoints(context)
  return idOrNumberIn(endpoints.find((one) => isNamed(textIn(one.name), name)))
}

/** Ends the rule as inconclusive if a creation was refused because the account has no worker left. */
export function inconclusiveIfQuotaIsUsed({ inconclusive }: Context, response: ApiResponse): void {
  if (speaksOfQuota(response))
    inconclusive('the account has no workers left for another endpoint; free some of its quota')
}

/** True if a refusal says that the workers exceed the quota. */
export function speaksOfQuota(response: ApiResponse): boolean {
  return response.status >= 400 && saysQuota(response)
}

/** True for a refusal that may pass: the quota is used up, or a gateway responds. */
export function isQuotaUsed(response: ApiResponse): boolean {
  return speaksOfQuota(response) || isOutage(response)
}

/**
 * True if a body, of JSON or not, has the message of the description about max workers across all endpoints and the workers
 * quota.
 */
export function saysQuota({ bytes }: Pick<ApiResponse, 'bytes'>): boolean {
  const text = (textOf(bytes) ?? '').toLowerCase()
  return ['workers', 'quota', 'endpoints'].every((word) => text.includes(word))
}

/** The list of endpoints. Ends the rule as inconclusive if the response has none. */
export async function listEndpoints(context: Context, api = context.on('management')) {
  const { listAt } = sectionOf(context)
  const response = await api.call('listEndpoints')
  const list = isSuccess(response.status) ? resourcesIn(response.json, listAt) : null
  if (list === null)
    return context.inconclusive(noListText('the list of endpoints', response.status, listAt, 'management.listAt'))
  return { response, endpoints: list.map((one) => membersOf(one) ?? {}), page: pageText(response, list.length) }
}

/** The list, once it shows an endpoint that exists. Only then does it show that another one does not exist. */
export async function listWith(context: Context, id: string) {
  const { inconclusive, target } = context
  const isShown = ({ endpoints }: { readonly endpoints: readonly Members[] }) =>
    endpoints.some((one) => idOrNumberIn(one) === id)
  const listing = await poll(context, target.tolerances.visibleMs, () => listEndpoints(context), isShown)
  return isShown(listing) ? listing : inconclusive(listing.page ?? 'the list does not show an endpoint that exists')
}

/** Time until the second search for something that was refused, ms. */
export const laterMs = 2_000

/**
 * Expects none of these names in the list, now and a little later, while the list shows an endpoint that was created after
 * them. Removes those that it finds.
 */
export async function expectNotCreated(context: Context, names: readonly string[]): Promise<void> {
  const { check, clock, on, lastRereadMs } = context
  const later = await createdEndpoint(context)
  for (const ms of [0, Math.max(laterMs, lastRereadMs())]) {
    if (ms > 0) await clock.sleep(ms)
    const { response, endpoints } = await listWith(context, later.id)
    const found: string[] = []
    for (const one of endpoints) {
      const id = idOrNumberIn(one)
      if (id === null) continue
      const name = textIn(one.name ?? membersOf((await get(context, id)).json)?.name)
      if (names.some((refused) => isNamed(name, refused))) found.push(id)
    }
    // The ledger of resources counts a refused creation as refused.
    for (const id of found) await on('management').call('deleteEndpoint', { ids: { id }, repeats: true })
    const expected = 'a list without the endpoint whose creation was refused'
    check('not-created').that(found.length === 0, expected, 'the endpoint whose creation was refused', response)
  }
}

/**
 * Shows one endpoint. If the target has no call for it, by the list, which may lag behind: with 404 for an endpoint that it does
 * not show within the tolerance `visible`.
 */
export function get(context: Context, id: string): Promise<ApiResponse> {
  return context.offers('management.read')
    ? context.on('management').call('getEndpoint', { ids: { id } })
    : untilFound(context, () => listed(context, id))
}

/** The entry of an endpoint in the list as the response to a read; 404 if there is none. */
async function listed(context: Context, id: string): Promise<ApiResponse> {
  const response = await context.on('management').call('listEndpoints')
  const list = isSuccess(response.status) ? resourcesIn(response.json, sectionOf(context).listAt) : null
  if (list === null) return response
  const json = list.find((one) => idOrNumberIn(one) === id)
  const page = json === undefined ? pageText(response, list.length) : null
  if (page !== null) return context.inconclusive(page)
  return { ...response, json, ...(json === undefined && { status: 404, text: 'a list without the endpoint' }) }
}

export function update({ on }: Context, id: string, body: Members): Promise<ApiResponse> {
  return on('management').call('updateEndpoint', { ids: { id }, body, repeats: true })
}

/**
 * Expects a success of an update, if the API failed or a smaller update of the same members succeeds. Otherwise the rule is
 * inconclusive: a platform may fix them at creation.
 */
export async function expectUpdatable(
  context: Context,
  id: string,
  clause: string,
  response: ApiResponse,
  smaller: Members,
): Promise<void> {
  const { check, inconclusive } = context
  inconclusiveIfOutage(response)
  const twin = await retryWhileQuotaIsUsed(context, () => update(context, id, smaller), isQuotaUsed)
  if (twin.status >= 500)
    blockedBy(context, 'endpoints.update-keeps', `an update was answered with ${responseText(twin)}`, twin)
  const isCertain = isSuccess(twin.status) || response.status >= 500
  check(clause).that(!isCertain, 'a success', responseText(response), response)
  inconclusive(`updates of ${Object.keys(smaller).join(' and ')} are answered with ${responseText(twin)}`)
}
