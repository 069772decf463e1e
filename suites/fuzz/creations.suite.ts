import fc from 'fast-check'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { raw } from '../../harness/client/body.ts'
import { memoize, memoizeTexts } from '../../harness/common/memoize.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { type Members, membersOf, show } from '../../harness/exchange/read.ts'
import { inconclusiveIfNoCapacity } from '../../harness/planes/pods/access.ts'
import { namedSecretsOf } from '../../harness/record/describe.ts'
import { createCases } from '../../harness/rule/cases.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { created, expectNotCreated, isShown } from '../pods/creation.ts'
import { shown } from '../shared/patching.ts'
import type { Refused } from '../shared/table.ts'
import { arbitraryOf } from './arbitrary.ts'
import { caseText, drawCases, enumerate, type FuzzCase, firstOfEach, inDrawnPart } from './cases.ts'
import { withoutNulls } from './oracle/creation.ts'
import { isUnusualText, readBody } from './oracle/reading.ts'
import { trySingle, type Way } from './single.ts'
import { mayChange } from './trial.ts'

/** Random cases after the enumeration. */
const drawn = 24
/** Lists of bodies whose cases are kept. */
const keptLists = 100
const situation = { operation: 'createPod' } as const
const randomly = { ...situation, isRandom: true } as const

/** Pods that may be made of bodies that need not be refused: few where they cost money. */
const podsAtMost = { real: 4, controlled: 20 }

/** Stands for the name of each pod in the bodies of all runs. */
const placeholder = 'plumbline-name'

/** Optional members whose values are tried as well. */
const many = { disk: 15, ports: ['80/http'], env: { PLUMBLINE: '1' }, cloud: 'SECURE' }

/** Members that reads show as they were given. */
const read = ['name', 'image', 'args', 'disk', 'ports', 'env', 'gpu', 'cpu', 'cloud', 'mounts']

rule('pods.create.fuzz', { varies: ['kind', 'part'] }, async (context) => {
  const { fixture, inconclusive, part, pods, target } = context
  const twin = await created(context, { mount: 'none', fields: 'few' })
  const bodies: Members[] = []
  for (const kind of ['gpu', 'cpu'] as const) {
    if (!part(`pods.${kind}`)) continue
    const body = { ...(await fixture.body({ kind, mount: 'none', fields: 'few' })), name: placeholder }
    bodies.push(bodies.length === 0 ? { ...many, ...body } : body)
  }
  // A replay has marks of another length in place of secrets, and would draw other cases.
  const secrets = namedSecretsOf(target).map(([, value], n) => [`plumbline-secret-${n}`, inJson(value)] as const)
  const list = secrets.reduce((text, [name, value]) => text.replaceAll(value, name), JSON.stringify(bodies))
  const { enumerated, random } = casesOf(list)
  const cases = [...enumerated, ...random].filter(inDrawnPart(context))
  const isRandom = new Set(random)
  const situationOf = (one: FuzzCase) => (isRandom.has(one) ? randomly : situation)
  const mayBeMade = (one: FuzzCase) => mayChange(situationOf(one), one)
  if (cases[0] !== undefined && !mayBeMade(cases[0]))
    inconclusive('creations have members that the description does not know, so no oracle tells what is to be refused')
  const own = memoize((one: FuzzCase) => completed(context, one, secrets))
  const way: Omit<Way, 'situation'> = {
    clause: 'answer',
    send: (one, options) => pods.create(raw(own(one).bytes), { ...options, repeats: true }),
    excuse: (response) => inconclusiveIfNoCapacity(context, response),
  }
  const refused: Refused[] = []
  const { attempt, end } = createCases()
  let left = target.budget.fuzzPods ?? (target.clock === 'real' ? podsAtMost.real : podsAtMost.controlled)
  // Bodies that must be refused come first: they cost no pod.
  for (const one of [...cases.filter((one) => !mayBeMade(one)), ...cases.filter(mayBeMade)]) {
    if (mayBeMade(one) && left <= 0) break
    const tried = async () => {
      const response = await trySingle(context, { ...way, situation: situationOf(one) }, one)
      const { name, bytes } = own(one)
      if (!isSuccess(response.status)) refused.push({ name, what: caseText(one) })
      else if (--left >= 0) await readsBack(context, one, bytes, response)
    }
    const goesOn = await attempt(tried, async () => {
      // Both of its requests may have made a pod.
      if (mayBeMade(one)) left -= 2
    })
    if (!goesOn) break
  }
  await expectNotCreated(context, twin.id, refused)
  end()
})

/** A pod of an accepted body is read as the body says, and removed. */
async function readsBack(context: Context, one: FuzzCase, bytes: Uint8Array, response: ApiResponse): Promise<void> {
  const { blocked, check, fixture, pods } = context
  const id =
    (await fixture.createdId(response)) ?? blocked('pods.create.read-back', 'a creation succeeded without a pod')
  const [value, other] = readBody(bytes).values
  const body = membersOf(withoutNulls(value))
  if (body !== null && other === undefined && !isUnusualText(JSON.stringify(body))) {
    const given = read.filter((member) => member in body)
    const rest = await shown(context, id, (pod) => given.every((member) => isShown(member, body[member], pod)))
    const wrong = given.filter((member) => rest.pod === null || !isShown(member, body[member], rest.pod))
    const texts = (of: Members | undefined) => wrong.map((member) => `${member} ${show(of?.[member])}`).join(', ')
    check('kept').that(
      wrong.length === 0,
      texts(body),
      `${texts(rest.pod?.value)} after ${caseText(one)}`,
      rest.response,
    )
  }
  await pods.delete(id)
}

/** A case under a name of the run and with the secrets of the target file, as far as it still has places for them. */
function completed({ nextName }: Context, { bytes }: FuzzCase, secrets: readonly (readonly [string, string])[]) {
  const name = nextName()
  const texts = [[placeholder, name] as const, ...secrets]
  const text = texts.reduce(
    (body, [place, value]) => body.replaceAll(place, Buffer.from(value).toString('latin1')),
    Buffer.from(bytes).toString('latin1'),
  )
  return { name, bytes: new Uint8Array(Buffer.from(text, 'latin1')) }
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Everything that can be wrong once with a list of bodies, and random bodies; the same as long as the ledger is the same. */
const casesOf = memoizeTexts((list) => {
  const bodies = JSON.parse(list) as readonly Members[]
  // Of the image the description says the same as of the name.
  const enumerated = bodies.flatMap((body) => enumerate(body, 'PodCreate')).filter(({ place }) => place !== '$.image')
  return { enumerated: enumerated.filter(firstOfEach()), random: randomOf(bodies) }
}, keptLists)

function randomOf(bodies: readonly Members[]): FuzzCase[] {
  const ids = (member: 'gpu' | 'cpu') => bodies.flatMap((body) => membersOf(body[member])?.id ?? [])
  const overrides = {
    'GpuConfig.id': fc.constantFrom('plumbline-unknown', ...ids('gpu')),
    'CpuConfigRequest.id': fc.constantFrom('plumbline-unknown', ...ids('cpu')),
    'PodCreate.name': fc.constant(placeholder),
  }
  return drawCases(arbitraryOf('PodCreate', overrides), 'PodCreate', drawn)
}
