import { isSuccess } from '../../harness/exchange/exchange.ts'
import { membersOf, show } from '../../harness/exchange/read.ts'
import { rule } from '../../harness/rule/registry.ts'
import { listUntil } from '../shared/listing.ts'
import { isRefusal, shown } from '../shared/patching.ts'
import { accepts, put } from '../shared/table.ts'
import { acceptedCreation, isPart } from './created-pod.ts'
import { created, creates } from './creation.ts'

/** Optional members of a creation that do not depend on the target. */
const many = { args: 'sleep 1', disk: 15, ports: ['8022/tcp', '80/http'], env: { PLUMBLINE: '1' }, cloud: 'SECURE' }

accepts('pods.create.gpu', {
  ...acceptedCreation(({ part }) => [{ kind: 'gpu', mount: part('volume') ? 'network' : 'none' }]),
  cases: { many, 'no count': put('gpu.count') },
  shows: ['name', 'image', 'args', 'disk', 'ports', 'env', 'cloud', 'gpu', 'mounts'],
})

accepts('pods.create.cpu', {
  ...acceptedCreation({ kind: 'cpu' }),
  cases: { many },
  shows: ['name', 'image', 'args', 'disk', 'ports', 'env', 'cloud', 'cpu'],
})

/** Values that a careless reader changes. */
const unusual = {
  PLUMBLINE: '1',
  PLUMBLINE_EMPTY: '',
  PLUMBLINE_EQUALS: 'a=b',
  PLUMBLINE_QUOTES: `"a" 'b'`,
  plumbline: ' é ',
}

rule('pods.create.env-kept', { varies: ['kind', 'mount'] }, async (context) => {
  const { check, fixture } = context
  for (const env of [unusual, { PLUMBLINE: '1' }]) {
    const reply = await creates(context, await fixture.body({}, { env }))
    // The description does not say which names and values are accepted, so these may be refused; plain ones may not.
    if (env === unusual && isRefusal(reply)) continue
    check('accepted').success(reply)
    const id = (await fixture.createdId(reply)) ?? context.blocked('pods.create.read-back', 'the pod is not found')
    const rest = await shown(context, id, ({ value }) => isPart(env, membersOf(value.env) ?? {}))
    const seen = membersOf(rest.pod?.value.env) ?? {}
    const lost = Object.entries(env).filter(([name, value]) => seen[name] !== value)
    const text = lost.map(([name]) => `${name} ${show(seen[name])}`).join(', ')
    check('kept').that(lost.length === 0, `env with ${show(env)}`, `env with ${text}`, rest.reply)
    return
  }
})

rule('pods.create.read-back', { varies: ['kind', 'mount', 'fields'] }, async (context) => {
  const { check, fixture, vary } = context
  let reply = await creates(context, await fixture.body())
  if (!isSuccess(reply.status)) {
    vary.fellBack('fields')
    reply = await creates(context, await fixture.body({ fields: 'few' }))
  }
  if (!isSuccess(reply.status)) context.blocked('pods.create.gpu', `a valid creation answered ${reply.status}`)
  const id = await fixture.createdId(reply)
  check('id').that(id !== null, 'an id in the answer, or the name of the pod in the list', 'neither', reply)
  const rest = await shown(context, id ?? '', (pod) => pod.id === id)
  check('read').that(rest.settled, 'the pod in reads', `${rest.pod === null ? rest.status : 'another pod'}`, rest.reply)
  const { isShown, reply: list } = await listUntil(context, id ?? '')
  check('listed').that(isShown, 'the pod in the list', 'a list without it', list)
})

rule('pods.create.unique-ids', { varies: ['kind', 'mount'] }, async (context) => {
  const { check, fixture, inconclusive, pods, target } = context
  const replies = [(await created(context, {})).reply, (await created(context, {})).reply]
  // Twenty pods at once are dear where they cost money; a target whose clock is controlled is a test system.
  const bodies: unknown[] = []
  for (let n = target.clock === 'real' ? 2 : 18; n > 0; n--) bodies.push(await fixture.body({ fields: 'few' }))
  replies.push(...(await Promise.all(bodies.map((body) => pods.create(body)))))
  const ids = new Set<string>()
  for (const reply of replies) {
    const id = await fixture.createdId(reply)
    if (id === null) continue
    check('unique').that(!ids.has(id), 'a different id for each creation', 'an id twice', reply)
    ids.add(id)
  }
  if (ids.size < replies.length && ids.size < 4) inconclusive(`only ${ids.size} creations answered with an id`)
})
