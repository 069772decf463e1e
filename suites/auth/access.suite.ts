import { textOf } from '../harness/exchange.ts'
import { rule } from '../harness/registry.ts'
import { runningWith } from '../pods/making.ts'
import { staysUnchanged } from '../pods/unchanged.ts'
import { listHolding, podsOf } from './listing.ts'
import { onePod, workingPlane } from './operations.ts'
import { isAction, permissionsOf, requestFor } from './permissions.ts'

rule('auth.pods.hidden', async (context) => {
  const { as, check, inconclusive, random } = context
  const stranger = as('stranger')
  const value = `plumbline-hidden-${Math.floor(random() * 2 ** 50).toString(36)}`
  const { pod, requests } = await workingPlane(context, await runningWith(context, {}, { PLUMBLINE: value }))
  await listHolding(context, pod.id)
  const list = await stranger.list()
  const listed = podsOf(context, list)
  if (listed === null)
    return inconclusive(`the list is answered ${list.status} to the stranger, whose key may be no good`)
  const isListed = listed.some(({ id }) => id === pod.id)
  check('not-listed').that(!isListed, 'a list without the pod of another account', 'the pod of another account', list)
  const secrets = { 'the name of the pod': String(pod.value.name), 'a variable of the pod': value }
  for (const operation of onePod) {
    const reply = await requests[operation](stranger)
    check('refused').status(reply, 403, 404)
    const text = textOf(reply.bytes) ?? ''
    for (const [what, secret] of Object.entries(secrets)) {
      check('not-told').that(!text.includes(secret), 'a refusal that tells nothing of the pod', what, reply)
    }
  }
  await staysUnchanged(context, pod)
})

rule('auth.pods.forbidden', async (context) => {
  const { as, fixture, check, inconclusive, target } = context
  const restricted = as('restricted')
  const { pod: exited, requests, offered, nothingDone } = await workingPlane(context, await fixture.pod('RUNNING'))
  const forbidden = permissionsOf(target.grants.mayNot).filter((name) => isAction(name) || offered.includes(name))
  if (forbidden.length === 0) inconclusive('what the restricted key may not do, the target does not offer')
  const running = await fixture.pod('RUNNING')
  const read = await restricted.get(running.id)
  if (read.status === 401) inconclusive('a read is answered 401, so the restricted key is not a valid one')
  const hidden = read.status === 403 || read.status === 404 ? [404] : []
  for (const permission of forbidden) {
    const pod = permission === 'start' ? exited : running
    const reply = isAction(permission)
      ? await restricted.act(pod.id, permission)
      : await requests[permission](restricted)
    check('refused').status(reply, 403, ...hidden)
  }
  await staysUnchanged(context, running)
  await nothingDone()
})

rule('auth.granted', async (context) => {
  const { as, pods, check, inconclusive, lacksCapacity, target } = context
  const restricted = as('restricted')
  for (const permission of permissionsOf(target.grants.may)) {
    const send = await requestFor(permission, context)
    const reply = await send(restricted)
    if (lacksCapacity(reply)) inconclusive(`the target has no capacity for ${permission}`)
    const { status } = reply.status < 300 ? reply : await send(pods)
    if (status >= 300) inconclusive(`${permission} is answered ${status} with a full key too`)
    check('granted').success(reply)
  }
})
