import { textOf } from '../harness/exchange.ts'
import { listOf, podOf } from '../harness/read.ts'
import { rule } from '../harness/registry.ts'
import { staysUnchanged } from '../pods/unchanged.ts'
import { onePod, workingPlane } from './operations.ts'
import { isAction, permissionsOf, requestFor } from './permissions.ts'

rule('auth.pods.hidden', async (context) => {
  const { as, check, inconclusive, target } = context
  const stranger = as('stranger')
  const { pod, requests } = await workingPlane(context)
  const list = await stranger.list()
  if (list.status === 401) inconclusive('the list is answered 401, so the key of the stranger is not a valid one')
  const listed = listOf(list.json, target.pods?.listAt ?? '')
  if (list.status < 300 && listed === null) inconclusive('the list of the stranger was answered without a list')
  const isListed = listed?.some((value) => podOf(value, 0)?.id === pod.id) ?? false
  check('not-listed').that(!isListed, 'no pod of another account', 'the pod of another account', list)
  for (const operation of onePod) {
    const reply = await requests[operation](stranger)
    check('refused').status(reply, 403, 404)
    const isTold = textOf(reply.bytes)?.includes(String(pod.value.name)) ?? false
    check('not-told').that(!isTold, 'nothing of the pod', 'the name of the pod', reply)
  }
  await staysUnchanged(context, pod)
})

rule('auth.pods.forbidden', async (context) => {
  const { as, fixture, check, inconclusive, target } = context
  const restricted = as('restricted')
  const { pod: exited, requests, offered, nothingDone } = await workingPlane(context)
  const forbidden = permissionsOf(target.grants.mayNot).filter((name) => isAction(name) || offered.includes(name))
  if (forbidden.length === 0) inconclusive('the target file names nothing that the restricted key may not do')
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
