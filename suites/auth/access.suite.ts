import type { ApiResponse } from '../../harness/client/api-response.ts'
import type { PodView } from '../../harness/exchange/read.ts'
import { changeOf } from '../../harness/fixtures/change.ts'
import { retryOnNoCapacity } from '../../harness/fixtures/creating.ts'
import type { Fixtures } from '../../harness/fixtures/types.ts'
import { inconclusiveIfNoCapacity } from '../../harness/planes/pods/access.ts'
import type { PodClient } from '../../harness/planes/pods/client.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import { isAction, type Permission, permissionsOf } from './permissions.ts'
import { workingPods } from './pods.ts'

rule('auth.pods.forbidden', { varies: anyPod }, async (context) => {
  const { as, fixture, check, inconclusive, target } = context
  const restricted = as('restricted')
  const forbidden = permissionsOf(target.grants.mayNot)
  const wanted = [...forbidden.filter((name) => !isAction(name)), 'triggerPodAction'] as const
  const { pod, requests, expectNoEffect, expectAllWorked } = await workingPods(
    context,
    await fixture.pod('RUNNING'),
    wanted,
  )
  const running = await fixture.pod('RUNNING')
  const read = await restricted.get(running.id)
  if (read.status === 401) inconclusive('a read is answered 401, so the restricted key is not a valid one')
  const hidden = read.status === 403 || read.status === 404 ? [404] : []
  const options = { mustBeRefused: true }
  for (const permission of forbidden) {
    const { id } = permission === 'start' ? pod : running
    const response = isAction(permission)
      ? await restricted.act(id, permission, options)
      : await requests.find(({ operation }) => operation === permission)?.send('restricted', options)
    if (response !== undefined) check('refused').status(response, 403, ...hidden)
  }
  await expectNoEffect(running)
  expectAllWorked()
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

type Send = (client: PodClient) => Promise<ApiResponse>

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
