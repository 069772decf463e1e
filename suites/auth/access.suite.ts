import { textOf } from '../../harness/exchange/exchange.ts'
import { membersOf, type PodView, textIn } from '../../harness/exchange/read.ts'
import { changeOf } from '../../harness/fixtures/change.ts'
import { retryOnNoCapacity } from '../../harness/fixtures/creating.ts'
import type { Fixtures } from '../../harness/fixtures/types.ts'
import { inconclusiveIfNoCapacity } from '../../harness/planes/pods/access.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import { entriesOf, listHolding } from '../shared/listing.ts'
import { expectUnchanged } from '../shared/unchanged.ts'
import { type Send, workingPlane } from './operations.ts'
import { isAction, type Permission, permissionsOf } from './permissions.ts'

rule('auth.pods.hidden', { varies: [...anyPod, 'order'] }, async (context) => {
  const { as, check, fixture, inconclusive, random, target, vary } = context
  const stranger = as('stranger')
  const value = `plumbline-hidden-${Math.floor(random() * 2 ** 50).toString(36)}`
  const env = { ...membersOf(target.pods?.extra.env), PLUMBLINE: value }
  const running = await fixture.pod('RUNNING', { more: { env } })
  const { pod, requests, expectAllWorked } = await workingPlane(context, running)
  const expectUnlisted = async () => {
    const list = await stranger.list()
    const listed = entriesOf(context, list)
    if (listed === null)
      return inconclusive(`the list is answered ${list.status} to the stranger, whose key may be no good`)
    const isListed = listed.some(({ id }) => id === pod.id)
    check('not-listed').that(!isListed, 'a list without the pod of another account', 'the pod of another account', list)
  }
  await listHolding(context, pod.id)
  await expectUnlisted()
  const secrets = { 'the name of the pod': textIn(pod.value.name), 'a variable of the pod': value }
  for (const send of vary.ordered([...requests.values()])) {
    const response = await send(stranger, { mustBeRefused: true })
    check('refused').status(response, 403, 404)
    const text = textOf(response.bytes) ?? ''
    for (const [what, secret] of Object.entries(secrets)) {
      check('not-told').that(!text.includes(secret), 'a refusal without any member of the pod', what, response)
    }
  }
  await expectUnchanged(context, pod)
  await expectUnlisted()
  const other = await fixture.pod('RUNNING')
  check('refused').status(await stranger.act(other.id, 'stop', { mustBeRefused: true }), 403, 404)
  await expectUnchanged(context, other)
  expectAllWorked()
})

rule('auth.pods.forbidden', { varies: anyPod }, async (context) => {
  const { as, fixture, check, inconclusive, target } = context
  const restricted = as('restricted')
  const forbidden = permissionsOf(target.grants.mayNot)
  const wanted = [...forbidden.filter((name) => !isAction(name)), 'triggerPodAction'] as const
  const working = await workingPlane(context, await fixture.pod('RUNNING'), wanted)
  const running = await fixture.pod('RUNNING')
  const read = await restricted.get(running.id)
  if (read.status === 401) inconclusive('a read is answered 401, so the restricted key is not a valid one')
  const hidden = read.status === 403 || read.status === 404 ? [404] : []
  for (const permission of forbidden) {
    const pod = permission === 'start' ? working.pod : running
    const send: Send | undefined = isAction(permission)
      ? (client, options) => client.act(pod.id, permission, options)
      : working.requests.get(permission)
    if (send !== undefined) check('refused').status(await send(restricted, { mustBeRefused: true }), 403, ...hidden)
  }
  await working.expectNoEffect(running)
  working.expectAllWorked()
})

rule('auth.granted', { varies: anyPod }, async (context) => {
  const { as, clock, pods, check, inconclusive, lacksCapacity, target } = context
  const restricted = as('restricted')
  for (const permission of permissionsOf(target.grants.may)) {
    const send = await requestFor(permission, context)
    const response = await retryOnNoCapacity({ lacksCapacity, sleep: (ms) => clock.sleep(ms) }, () => send(restricted))
    inconclusiveIfNoCapacity(context, response, ` for ${permission}`)
    const { status } = response.status < 300 ? response : await send(pods)
    if (status >= 300) inconclusive(`${permission} is answered ${status} with a full key too`)
    check('granted').success(response)
  }
})

/** The pod that a request is about, of its own if the request changes it. */
const podFor: Readonly<
  Record<Exclude<Permission, 'listPods' | 'listCpuFlavors' | 'createPod'>, (fixture: Fixtures) => Promise<PodView>>
> = {
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
  if (permission === 'listPods') return (client) => client.list()
  if (permission === 'listCpuFlavors') return (client) => client.cpus()
  if (permission === 'createPod') {
    const body = await context.fixture.body()
    return (client) => client.create(body)
  }
  const pod = await podFor[permission](context.fixture)
  if (permission === 'getPod') return (client) => client.get(pod.id)
  if (permission === 'updatePod') return (client) => client.patch(pod.id, changeOf(context, pod, 'a'))
  if (permission === 'deletePod') return (client) => client.delete(pod.id)
  return (client) => client.act(pod.id, permission)
}
