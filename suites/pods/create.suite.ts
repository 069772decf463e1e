import { type RuleId, ruleById } from '../../generated/rules.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { listOf, type Members, membersOf, type PodView, show } from '../../harness/exchange/read.ts'
import { inconclusiveIfNoCapacity } from '../../harness/planes/pods/access.ts'
import type { PodShape } from '../../harness/planes/pods/fixtures/types.ts'
import { redactorOf } from '../../harness/record/describe.ts'
import { isRefusal, responseText } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { NotApplicable } from '../../harness/rule/outcome.ts'
import { rule } from '../../harness/rule/registry.ts'
import { differenceOf } from '../shared/difference.ts'
import { expectListed } from '../shared/listing.ts'
import { shown } from '../shared/patching.ts'
import { kindOfValue } from '../shared/readers.ts'
import {
  type Arrangement,
  accepts,
  casesOf,
  put,
  type Refused,
  refusals,
  refusalTables,
  wrongBody,
} from '../shared/table.ts'
import {
  acceptedCreation,
  created,
  creates,
  creation,
  creationRule,
  expectNotCreated,
  isShown,
  unusualVariables,
} from './creation.ts'

/** Optional members of a creation that do not depend on the target. */
const many = {
  args: 'sleep 1',
  disk: 15,
  ports: ['8022/tcp', '80/http', '8888/http'],
  env: { PLUMBLINE: '1' },
  cloud: 'SECURE',
}

accepts('pods.create.gpu', {
  ...acceptedCreation(({ part }) => [{ kind: 'gpu', mount: part('volume') ? 'network' : 'none' }]),
  cases: { many, 'no count': put('gpu.count') },
  shows: ['name', 'image', 'args', 'disk', 'ports', 'env', 'cloud', 'gpu', 'mounts'],
})

accepts('pods.create.cpu', {
  ...acceptedCreation({ kind: 'cpu' }),
  cases: { many: { ...many, disk: 1 } },
  shows: ['name', 'image', 'args', 'disk', 'ports', 'env', 'cloud', 'cpu'],
})

accepts('pods.create.least-disk', {
  ...acceptedCreation({}),
  send: async (context, body) => ({ body, response: await creates(context, body) }),
  cases: { least: { disk: 1 } },
  shows: ['disk'],
})

rule('pods.create.community', {}, async (context) => {
  const { blocked, check, fixture } = context
  const body = await fixture.body({ fields: 'few', mount: 'none' }, { cloud: 'COMMUNITY' })
  const response = await creates(context, body)
  inconclusiveIfNoCapacity(context, response)
  const answered = `a creation in the cloud COMMUNITY is answered ${response.status}`
  if (isRefusal(response)) {
    // Blocks the rule if no such pod can be created in any cloud.
    await created(context, { fields: 'few', mount: 'none' })
    throw new NotApplicable(answered)
  }
  if (!isSuccess(response.status)) blocked(creationRule(body), answered)
  const id = (await fixture.createdId(response)) ?? blocked('pods.create.read-back', 'the pod is not found')
  const rest = await shown(context, id, ({ value }) => value.cloud === 'COMMUNITY')
  const { value } = rest.pod ?? blocked('pods.create.read-back', `the pod is ${rest.status}`)
  check('cloud').that(rest.settled, 'cloud "COMMUNITY"', `cloud ${show(value.cloud)}`, rest.response)
})

/** A value that a careless service cuts. */
const long = `${'long '.repeat(1_000)}end`

/** Names that every JavaScript object inherits: a careless service loses them. */
const inherited = { ['__proto__']: 'a', constructor: 'b', toString: 'c' }

const unusual = { ...unusualVariables, PLUMBLINE_LONG: long, ...inherited }

/** The description does not say which names and values are accepted, so unusual ones may be refused; plain ones may not. */
const unusualArgs = { env: unusual, args: `sh -c "echo 'a  b é🚀'" ${long}` }

const containers: Readonly<Record<string, { env: Members; args?: string; ports?: readonly string[] }>> = {
  'one port of two protocols': { ...unusualArgs, ports: ['5353/udp', '5353/tcp'] },
  'unusual arguments': unusualArgs,
  'inherited names': { env: unusual },
  'long value': { env: { ...unusualVariables, PLUMBLINE_LONG: long } },
  'unusual values': { env: unusualVariables },
  plain: { env: { PLUMBLINE: '1' } },
}

rule('pods.create.env-kept', { varies: ['kind', 'mount'] }, async (context) => {
  const { check, fixture, notJudged, target } = context
  for (const [what, asked] of Object.entries(containers)) {
    const body = await fixture.body({}, asked)
    const response = await creates(context, body)
    if (what !== 'plain' && isRefusal(response)) {
      notJudged(what, 'the creation is refused')
      continue
    }
    if (!isSuccess(response.status)) {
      const { status } = await creates(context, await fixture.body({ fields: 'few' }))
      if (!isSuccess(status))
        context.blocked(creationRule(body), `a creation without env was answered with status ${status}`)
    }
    check('accepted').success(response)
    const id = (await fixture.createdId(response)) ?? context.blocked('pods.create.read-back', 'the pod is not found')
    const rest = await shown(context, id, (pod) =>
      Object.entries(asked).every(([name, value]) => isShown(name, value, pod)),
    )
    const { args, env, ports } = rest.pod?.value ?? {}
    const own = Object.entries(membersOf(env) ?? {}).filter(([name]) => Object.hasOwn(asked.env, name))
    const kept = {
      ...('args' in asked && { args }),
      env: Object.fromEntries(own),
      ...(asked.ports && { ports: asked.ports.filter((port) => [ports].flat().includes(port)) }),
    }
    const { expected = '', observed = '' } = differenceOf(asked, kept, redactorOf(target).text) ?? {}
    check('kept').that(observed === '', expected, observed, rest.response)
    return
  }
})

rule('pods.create.read-back', { varies: ['kind', 'mount', 'fields'] }, async (context) => {
  const { check, fixture, offers, vary } = context
  let body = await fixture.body()
  let response = await creates(context, body)
  if (!isSuccess(response.status)) {
    vary.fellBack('fields')
    body = await fixture.body({ fields: 'few' })
    response = await creates(context, body)
  }
  const answer = `${response.status} ${show(response.json)}`
  if (!isSuccess(response.status)) context.blocked(creationRule(body), `a valid creation answered ${answer}`)
  const id = await fixture.createdId(response)
  const given = membersOf(response.json)?.id
  const shownId = given === undefined ? 'neither' : `${kindOfValue(given)} as its id, and no id by its name in the list`
  check('id').that(id !== null, 'an id in the response, or in the list by the name of the pod', shownId, response)
  const rest = await shown(context, id ?? '', (pod) => pod.id === id)
  // Other rules build on whatever can be read, so a pod of each kind is tried before this one fails.
  if (!rest.settled)
    for (const kind of ['gpu', 'cpu'] as const) if (offers(`pods.${kind}`)) await readsPlain(context, kind)
  const lacking = isSuccess(rest.response.status) ? 'a body that lacks its id or its status' : rest.status
  const observed = rest.pod === null ? lacking : 'another pod'
  check('read').that(rest.settled, 'the pod with its id and its status in reads', observed, rest.response)
  await expectListed(context, id ?? '', 'the pod in the list')
})

/** Reads a plain pod of a kind. */
async function readsPlain(context: Context, kind: 'gpu' | 'cpu'): Promise<void> {
  const { fixture } = context
  const id = await fixture.createdId(await creates(context, await fixture.body({ kind, mount: 'none', fields: 'few' })))
  if (id !== null) await shown(context, id, (pod) => pod.id === id)
}

rule('pods.create.unique-ids', { varies: ['kind', 'mount'] }, async (context) => {
  const { check, fixture, inconclusive, pods, target } = context
  const responses = [(await created(context, {})).response, (await created(context, {})).response]
  // Twenty pods at once are dear if they cost money; a target whose clock is controlled is a test system.
  const bodies: unknown[] = []
  for (let n = target.clock === 'real' ? 2 : 18; n > 0; n--) bodies.push(await fixture.body({ fields: 'few' }))
  responses.push(...(await Promise.all(bodies.map((body) => pods.create(body)))))
  const ids = new Set<string>()
  for (const response of responses) {
    const id = await fixture.createdId(response)
    if (id === null) continue
    check('unique').that(!ids.has(id), 'a different id for each creation', 'an id twice', response)
    ids.add(id)
  }
  if (ids.size < responses.length && ids.size < 4) inconclusive(`only ${ids.size} creations answered with an id`)
})

const network = creation({ mount: 'network' })

const inItsCenter: Arrangement<PodShape> = {
  ...network,
  async begin(context, shape) {
    const more = { dataCenterIds: [await centerOf(context)] }
    const plain = await context.fixture.body({ ...shape, fields: 'few' }, more)
    // The description does not show whether, or how, a creation asks for a data center. Without one, the volume decides.
    const isRefused = isRefusal(await creates(context, plain))
    return network.begin(context, isRefused ? shape : { ...shape, more })
  },
}

refusals(
  'pods.create.volume-elsewhere',
  inItsCenter,
  ['4XX', '2XX'],
  { elsewhere: (valid, { pods }) => put('mounts.network.0.volumeId', pods?.volumeElsewhere)(valid) },
  async (context, response, body) => {
    const { blocked, check, fixture, notJudged, settle } = context
    const id = (await fixture.createdId(response)) ?? blocked('pods.create.read-back', 'no pod is found')
    const rest = await settle(id, (status, pod) => placed.has(status) || hasCenter(pod))
    if (!hasCenter(rest.pod)) return notJudged('placed', `the pod shows no data center, and is ${rest.status}`)
    const [center = await centerOf(context)] = listOf(body, 'dataCenterIds') ?? []
    const isElsewhere = rest.pod?.value.dataCenterId !== center
    check('placed').that(isElsewhere, 'a pod with its volume', 'a pod without its volume', rest.response)
  },
)

/** Statuses in which a pod has a data center, or never will have one. */
const placed: ReadonlySet<string> = new Set(['RUNNING', 'EXITED', 'ERROR', 'TERMINATED', 'gone'])

function hasCenter(pod: PodView | null): boolean {
  return typeof pod?.value.dataCenterId === 'string'
}

rule('pods.create.atomic', { varies: ['kind', 'mount', 'fields'] }, async (context) => {
  const { blocked, fixture, inconclusive, part, pods, random, target } = context
  const twin = await created(context, {})
  const refused: Refused[] = []
  let accepted: { readonly by: RuleId; readonly what: string } | null = null
  for (const { id, table } of refusalTables) {
    const isCreation = id.startsWith('pods.create.') && id !== 'pods.create.volume-elsewhere'
    if (!isCreation || ruleById.get(id)?.needs.every(part) !== true) continue
    const [shape] = table.arrange.each(context) as readonly PodShape[]
    const cases = casesOf(table)
    const one = cases[Math.floor(random() * cases.length)]
    const valid = await fixture.body(shape)
    const body = one === undefined ? undefined : wrongBody(one.wrong, valid, target, shape as never)
    if (one === undefined || body === undefined) continue
    const response = await pods.create(body, { mustBeRefused: true })
    if (isRefusal(response)) refused.push({ name: String(valid.name), what: `${one.name} of ${id}` })
    else if (!one.statuses.includes('2XX') && ruleById.get(id)?.level === 'must')
      accepted ??= { by: id, what: `${one.name}: ${responseText(response)}` }
  }
  if (refused.length === 0) inconclusive('no wrong creation is refused')
  await expectNotCreated(context, twin.id, refused)
  // It is about all of them.
  if (accepted !== null) blocked(accepted.by, `a wrong creation was not refused (${accepted.what})`)
})

/** Bodies over which a careless service stumbles; all are wrong. */
const stumbling = {
  'null image': { image: null },
  'object for the image': { image: {} },
  'great disk': { disk: 1e300 },
  'list for mounts': { mounts: [] },
  'list for the hardware': { gpu: [], cpu: [] },
  'object for ports': { ports: {} },
  'list for env': { env: ['PLUMBLINE=1'] },
  'half a surrogate pair': { plumbline: '\udc00' },
  nested: { plumbline: Array.from({ length: 100 }).reduce<unknown>((value) => [value], 0) },
}

rule('pods.create.failed-leaves-none', { varies: ['kind', 'mount', 'fields', 'order'] }, async (context) => {
  const { fixture, pods, reading } = context
  const twin = await created(context, {})
  const failed: Refused[] = []
  for (const [what, change] of context.vary.ordered(Object.entries(stumbling))) {
    const valid = await fixture.body()
    const { status } = await pods.create({ ...valid, ...change })
    if (status >= 500) failed.push({ name: String(valid.name), what })
  }
  const names = failed.map(({ what }) => what).sort()
  reading('answered 5xx', names.join(', ') || 'none')
  await expectNotCreated(context, twin.id, failed)
})

/** The data center of the volume, as a pod that mounts it shows it. */
async function centerOf({ fixture, inconclusive }: Context): Promise<string> {
  const { value } = await fixture.shared('RUNNING', { mount: 'network' })
  if (typeof value.dataCenterId === 'string') return value.dataCenterId
  return inconclusive('a RUNNING pod does not show its data center')
}
