import { ruleById } from '../../generated/rules.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import type { PodShape } from '../../harness/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { shown } from '../shared/patching.ts'
import { type Arrangement, casesOf, put, type Refused, refusals, refusalTables, wrongBody } from '../shared/table.ts'
import { created, creation, expectNotCreated } from './creation.ts'

const network = creation({ mount: 'network' })

const inItsCenter: Arrangement<PodShape> = {
  ...network,
  begin: async (context, shape) =>
    network.begin(context, { ...shape, more: { dataCenterIds: [await centerOf(context)] } }),
}

refusals(
  'pods.create.volume-elsewhere',
  inItsCenter,
  ['4XX', '2XX'],
  { elsewhere: (valid, { pods }) => put('mounts.network.0.volumeId', pods?.volumeElsewhere)(valid) },
  async (context, reply, body) => {
    const id = (await context.fixture.createdId(reply)) ?? context.blocked('pods.create.read-back', 'no pod is found')
    const rest = await shown(context, id, ({ value }) => typeof value.dataCenterId === 'string')
    const isElsewhere = rest.pod?.value.dataCenterId !== listIn(membersOf(body)?.dataCenterIds)[0]
    context.check('placed').that(isElsewhere, 'a pod with its volume', 'a pod without its volume', rest.reply)
  },
)

rule('pods.create.atomic', { varies: ['kind', 'mount', 'fields'] }, async (context) => {
  const { fixture, inconclusive, part, pods, random, target } = context
  const twin = await created(context, {})
  const refused: Refused[] = []
  for (const { id, table } of refusalTables()) {
    const isCreation = id.startsWith('pods.create.') && id !== 'pods.create.volume-elsewhere'
    if (!isCreation || ruleById.get(id)?.needs.every(part) !== true) continue
    const [shape] = table.arrange.each(context) as readonly PodShape[]
    const cases = casesOf(table)
    const one = cases[Math.floor(random() * cases.length)]
    const valid = await fixture.body(shape)
    const body = one === undefined ? undefined : wrongBody(one.wrong, valid, target, shape as never)
    if (one === undefined || body === undefined) continue
    const { status } = await pods.create(body, { repeats: true })
    if (status >= 400 && status < 500) refused.push({ name: String(valid.name), what: `${one.name} of ${id}` })
  }
  if (refused.length === 0) inconclusive('no wrong creation is refused')
  await expectNotCreated(context, twin.id, refused)
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

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
