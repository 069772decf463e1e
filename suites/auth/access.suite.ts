import type { ApiResponse } from '../../harness/client/api-response.ts'
import { nothing } from '../../harness/client/body.ts'
import type { CallOptions } from '../../harness/client/caller.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { createdIdIn, type Members, type PodView, textIn } from '../../harness/exchange/read.ts'
import { inconclusiveIfNoCapacity } from '../../harness/planes/pods/access.ts'
import type { PodClient } from '../../harness/planes/pods/client.ts'
import { changeOf } from '../../harness/planes/pods/fixtures/change.ts'
import { retryOnNoCapacity } from '../../harness/planes/pods/fixtures/creating.ts'
import type { Fixtures } from '../../harness/planes/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import { created } from '../pods/creation.ts'
import { entriesOf, isNamed } from '../shared/listing.ts'
import { poll } from '../shared/poll.ts'
import { expectRefusal } from '../shared/refusal.ts'
import { expectUnchanged } from '../shared/unchanged.ts'
import { isAction, type Permission, permissionsOf } from './permissions.ts'
import { workingPods } from './pods.ts'
import { kinds } from './table.ts'

const varies = [...anyPod, 'order', 'sample'] as const

rule('auth.pods.forbidden', { varies: anyPod }, async (context) => {
  const { as, fixture, check, inconclusive, target } = context
  const restricted = as('restricted')
  const forbidden = permissionsOf(target.grants.mayNot)
  const wanted = [...forbidden.filter((name) => !isAction(name)), 'triggerPodAction'] as const
  const stopped = await workingPods(context, await fixture.pod('RUNNING'), wanted)
  const running = await fixture.pod('RUNNING')
  const read = await restricted.get(running.id)
  if (read.status === 401) inconclusive('a read is answered 401, so the restricted key is not a valid one')
  const hidden = read.status === 403 || read.status === 404 ? [404] : []
  const options = { mustBeRefused: true }
  for (const permission of forbidden) {
    const { id } = permission === 'start' ? stopped.pod : running
    const response = isAction(permission)
      ? await restricted.act(id, permission, options)
      : await stopped.requests.find(({ operation }) => operation === permission)?.send('restricted', options)
    if (response !== undefined) check('refused').status(response, 403, ...hidden)
  }
  await stopped.expectNoEffect(running)
  stopped.expectAllWorked()
})

rule('auth.pods.hidden-volume', async (context) => {
  const { inconclusive } = context
  const { valid } = await created(context, { mount: 'network' })
  const { mounts: _, ...bare } = valid
  const { status } = await createdByStranger(context, bare)
  if (!isSuccess(status)) inconclusive(`the same creation without the volume is answered ${status} to the stranger`)
  expectRefusal(context, 'refused', await createdByStranger(context, valid, { mustBeRefused: true }))
})

/** A creation by another account. Its pod is removed at once: the end of the run removes only what the owner's key can. */
async function createdByStranger(context: Context, body: Members, options?: CallOptions): Promise<ApiResponse> {
  const { as, inconclusive, nextName, target } = context
  const [name, stranger] = [nextName(), as('stranger')]
  const response = await stranger.create({ ...body, name }, options)
  inconclusiveIfNoCapacity(context, response)
  if (!isSuccess(response.status)) return response
  // A new pod may not be found at once.
  const removed = await poll(context, target.tolerances.visibleMs, remove, (status) => isSuccess(status))
  if (!isSuccess(removed))
    inconclusive(`keys.stranger has created the pod ${name}, which could not be removed; delete it`)
  return response

  async function remove(): Promise<number> {
    const isOurs = (one: { readonly name: unknown }) => isNamed(textIn(one.name), name)
    const id = createdIdIn(response.json, name) ?? entriesOf(context, await stranger.list())?.find(isOurs)?.id
    return id === undefined ? 404 : (await stranger.delete(id)).status
  }
}

rule('auth.granted', { varies: anyPod }, async (context) => {
  const { as, clock, pods, check, inconclusive, lacksCapacity, target } = context
  const restricted = as('restricted')
  for (const permission of permissionsOf(target.grants.may)) {
    const send = await requestFor(permission, context)
    const response = await retryOnNoCapacity(lacksCapacity, clock, () => send(restricted))
    inconclusiveIfNoCapacity(context, response, ` for ${permission}`)
    const { status } = response.status < 300 ? response : await send(pods)
    if (status >= 300) inconclusive(`${permission} is answered ${status} with a full key too`)
    check('granted').success(response)
  }
})

rule('auth.pods.malformed', { varies }, async (context) => {
  const { check, fixture, vary } = context
  const wanted = ['listPods', 'getPod', 'updatePod', 'triggerPodAction', 'deletePod'] as const
  const { pod, requests, expectAllWorked } = await workingPods(context, await fixture.pod('RUNNING'), wanted)
  const ordered = vary.ordered(requests)
  for (const [at, { clause, key, options }] of kinds.malformed.credentials(context).entries()) {
    // Each on getPod and triggerPodAction, and on two further operations in turn.
    const inTurn = [2 * at, 2 * at + 1].map((place) => ordered[place % ordered.length])
    const always = requests.filter(({ operation }) => operation === 'getPod' || operation === 'triggerPodAction')
    for (const request of new Set([...inTurn, ...always])) {
      if (request !== undefined) check(clause).status(await request.send(key, options), 401)
    }
  }
  await expectUnchanged(context, pod)
  expectAllWorked()
})

rule('auth.before-validation', { varies }, async ({ pods, fixture, check, on, part, vary }) => {
  const unauthenticated = { authorization: null }
  const create = { body: { plumbline: true }, ...unauthenticated }
  const submit = () => on('queue').run({ input: 'a text' }, unauthenticated)
  const ofQueue = part('queue') ? [['wrong-body', submit] as const] : []
  const createEndpoint = () => on('management').call('createEndpoint', create)
  const ofManagement = part('management') ? [['wrong-body', createEndpoint] as const] : []
  const { id } = await fixture.pod('RUNNING')
  const unknown = await fixture.gone()
  const cases = vary.ordered([
    ['wrong-body', () => pods.create({ plumbline: true }, unauthenticated)],
    ['wrong-body', () => pods.patch(id, { disk: 'much' }, unauthenticated)],
    ['wrong-body', () => pods.actWith(id, { action: 'explode' }, unauthenticated)],
    ['wrong-body', () => pods.actWith(id, nothing, unauthenticated)],
    ['unknown-id', () => pods.get(unknown.id, unauthenticated)],
    ['unknown-id', () => pods.patch(unknown.id, {}, unauthenticated)],
    ['unknown-id', () => pods.delete(unknown.id, unauthenticated)],
    ['unknown-id', () => pods.act(unknown.id, 'stop', unauthenticated)],
    ...ofQueue,
    ...ofManagement,
  ] as const)
  for (const [clause, send] of cases) check(clause).status(await send(), 401)
})

rule('auth.scheme-case', async (context) => {
  const { check, fixture, notJudged, pods, target } = context
  const { id } = await fixture.shared('RUNNING')
  for (const scheme of ['bearer', 'BEARER'] as const) {
    const options = { authorization: `${scheme} ${target.keys.full ?? ''}` }
    check(scheme).success(await pods.list(options))
    check(scheme).success(await pods.get(id, options))
  }
  const { recased } = target.keys
  if (recased === undefined) return notJudged('token', 'the full key may mean the same in the other case')
  const options = { authorization: `Bearer ${recased}` }
  check('token').status(await pods.list(options), 401)
  check('token').status(await pods.get(id, options), 401)
})

type Send = (client: PodClient) => Promise<ApiResponse>

/** The pod that a request is about, of its own if the request changes it. */
const podFor: Readonly<Partial<Record<Permission, (fixture: Fixtures) => Promise<PodView>>>> = {
  getPod: (fixture) => fixture.shared('RUNNING'),
  updatePod: (fixture) => fixture.pod('EXITED'),
  deletePod: (fixture) => fixture.fresh(),
  start: (fixture) => fixture.pod('EXITED'),
  stop: (fixture) => fixture.pod('RUNNING'),
  restart: (fixture) => fixture.pod('RUNNING'),
  terminate: (fixture) => fixture.fresh(),
}

/** A request that needs a permission. */
async function requestFor(permission: Permission, context: Context): Promise<Send> {
  const pod = await podFor[permission]?.(context.fixture)
  const ids = pod === undefined ? {} : { id: pod.id }
  if (isAction(permission)) return (client) => client.call('triggerPodAction', { ids, body: { action: permission } })
  if (permission === 'createPod') {
    const body = await context.fixture.body()
    return (client) => client.create(body)
  }
  if (permission === 'updatePod' && pod !== undefined)
    return (client) => client.patch(pod.id, changeOf(context, pod, 'a'))
  return (client) => client.call(permission, { ids })
}
