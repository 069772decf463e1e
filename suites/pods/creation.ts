import type { RuleId } from '../../generated/rules.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { canonical, type Members, membersOf, type PodView, show, textIn } from '../../harness/exchange/read.ts'
import { inconclusiveIfNoCapacity, scarcityText } from '../../harness/planes/pods/access.ts'
import { retryOnNoCapacity, sentText } from '../../harness/planes/pods/fixtures/creating.ts'
import type { PodShape } from '../../harness/planes/pods/fixtures/types.ts'
import { isRefusal } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { expectListedAs, isNamed, listHolding, named } from '../shared/listing.ts'
import { eachOf, mountRules, type Shapes, sameMounts, shown } from '../shared/patching.ts'
import type { Accepted, AcceptTable, Arrangement, Refused } from '../shared/table.ts'

/** Variables that a careless reader changes. */
export const unusualVariables = {
  PLUMBLINE: '1',
  PLUMBLINE_EMPTY: '',
  PLUMBLINE_EQUALS: 'a=b',
  PLUMBLINE_QUOTES: `"a" 'b'`,
  PLUMBLINE_LINES: 'a\nb',
  PLUMBLINE_SIGNS: 'a\\b $HOME %A% #c\t;',
  PLUMBLINE_LETTERS: 'e\u0301 漢字 🚀',
  plumbline: ' é ',
}

/** The dimensions that a refused creation leaves open. */
const varies = ['kind', 'mount', 'fields'] as const

/** Creations of pods of these shapes; what a shape does not say is drawn. */
export function creation(shapes: Shapes = {}): Arrangement<PodShape> {
  return {
    operation: () => 'createPod',
    each: eachOf(shapes),
    varies,
    async begin(context, shape) {
      const twin = await created(context, shape)
      const refused: Refused[] = []
      return {
        valid: async () => ({ ...twin.valid, name: context.nextName() }),
        async send(body, one) {
          const response = await refusedFor(context, twin.valid, body)
          if (!isSuccess(response.status)) refused.push(one)
          return response
        },
        expectNoEffect: () => expectNotCreated(context, twin.id, refused),
      }
    },
  }
}

/**
 * Creates a pod of a shape, with few fields if it is refused with those that were drawn. Ends the rule as inconclusive for
 * lack of capacity, else as blocked if nothing is created.
 */
export async function created(context: Context, shape: PodShape) {
  const { blocked, clock, fixture, lacksCapacity, pods, vary } = context
  let [valid, response] = await tryShape(shape)
  if (!isSuccess(response.status) && !lacksCapacity(response)) {
    vary.fellBack('fields')
    ;[valid, response] = await tryShape({ ...shape, ...shapeOf(valid), fields: 'few' })
  }
  inconclusiveIfNoCapacity(context, response)
  const by = creationRule(valid)
  const id = await fixture.createdId(response)
  if (id === null)
    return blocked(by, `a valid creation answered ${response.status}, and no pod is found${sentText(response)}`)
  return { valid, id, response }

  async function tryShape(shape: PodShape): Promise<[Members, ApiResponse]> {
    const body = await fixture.body(shape, shape.more ?? {})
    return [body, await retryOnNoCapacity(lacksCapacity, clock, () => pods.create(body))]
  }
}

/** The rule that a body like this one creates a pod. */
export function creationRule(valid: Members): RuleId {
  const { kind, mount } = shapeOf(valid)
  if (mount === 'persistent') return mountRules.persistent
  return kind === 'cpu' ? 'pods.create.cpu' : 'pods.create.gpu'
}

/** Sends a valid body. Ends the rule as inconclusive for lack of capacity if a plain body of its kind is refused as well. */
export async function creates(context: Context, body: Members): Promise<ApiResponse> {
  const { clock, fixture, inconclusive, lacksCapacity, pods } = context
  const response = await retryOnNoCapacity(lacksCapacity, clock, () => pods.create(body))
  if (!lacksCapacity(response)) return response
  const { kind = 'gpu' } = shapeOf(body)
  const plain = await fixture.body({ kind, mount: 'none', fields: 'few' })
  if (!isSuccess((await pods.create(plain)).status)) inconclusive(scarcityText(response))
  return response
}

/**
 * No pod of these names is in the list once writes are visible, while a pod that was created is. A pod that is there is
 * removed.
 */
export async function expectNotCreated(context: Context, twin: string, refused: readonly Refused[]): Promise<void> {
  const { check, clock, lastRereadMs, pods, target } = context
  await clock.sleep(Math.max(target.tolerances.visibleMs, lastRereadMs()))
  const { response, listed } = await listHolding(context, twin)
  const names = refused.map(({ name }) => name)
  const found = await named(context, listed, names)
  for (const { id } of found) await pods.delete(id)
  const left = refused.filter(({ name }) => found.some((pod) => pod.name === name)).map(({ what }) => what)
  check('no-pod').that(left.length === 0, 'no pod of a refused creation', `a pod of: ${left.join(', ')}`, response)
}

/**
 * Sends a body that must be refused. Lack of capacity is no such refusal, unless a valid body is accepted meanwhile: not only
 * afterwards, when capacity may just have come back.
 */
async function refusedFor(context: Context, valid: Members, body: unknown): Promise<ApiResponse> {
  const { clock, inconclusive, lacksCapacity, nextName, pods } = context
  const response = await retryOnNoCapacity(lacksCapacity, clock, () => pods.create(body, { mustBeRefused: true }))
  const isCapable = async () => isSuccess((await pods.create({ ...valid, name: nextName() })).status)
  if (lacksCapacity(response) && !(await isCapable()))
    inconclusive(scarcityText(response, ', and refuses a valid body too'))
  return response
}

/** The kind and mount of a body. */
function shapeOf({ cpu, mounts }: Members): PodShape {
  const { network, persistent } = membersOf(mounts) ?? {}
  const mount = network !== undefined ? 'network' : persistent !== undefined ? 'persistent' : 'none'
  return { kind: cpu === undefined ? 'gpu' : 'cpu', mount }
}

/** Creations of pods of these shapes that are accepted. */
export function acceptedCreation(
  shapes: Shapes,
): Pick<AcceptTable<PodShape>, 'operation' | 'each' | 'varies' | 'body' | 'send' | 'expectShown'> {
  return {
    operation: () => 'createPod',
    each: eachOf(shapes),
    varies: ['seenIn'],
    body: ({ fixture }, shape) => fixture.body({ fields: 'few', ...shape }),
    send: createsWithin,
    expectShown,
  }
}

/** Values for members of a creation that a platform may bound, in place of those that it refuses. */
const others: Readonly<Record<string, readonly unknown[]>> = {
  args: ['ls'],
  disk: [25, 10, 50, 20, 5],
  ports: [['8022/tcp', '80/http'], ['80/http'], ['8022/tcp'], ['8888/http']],
  env: [],
  cloud: ['COMMUNITY'],
}

/**
 * Sends a valid body. If that is refused and a plain body is not, sends each member by itself, and then the body with the
 * values that are accepted: the description does not show the bounds of a creation.
 */
async function createsWithin(context: Context, body: Members): Promise<Accepted> {
  const response = await creates(context, body)
  const bounded = Object.keys(others).filter((name) => name in body)
  if (!isRefusal(response) || bounded.length === 0) return { response, body }
  const plain = Object.fromEntries(Object.entries(body).filter(([name]) => !bounded.includes(name)))
  const send = async (more: Members) => {
    const within = { ...plain, ...more, name: context.nextName() }
    return { response: await creates(context, within), body: within }
  }
  const isAccepted = async (more: Members) => isSuccess((await send(more)).response.status)
  if (!(await isAccepted({}))) return { response, body }
  const fits: Record<string, unknown> = {}
  for (const name of bounded) {
    for (const value of [body[name], ...(others[name] ?? [])]) {
      if (!(await isAccepted({ [name]: value }))) continue
      fits[name] = value
      break
    }
  }
  if (bounded.every((name) => fits[name] === body[name])) return { response, body }
  return { ...(await send(fits)), left: bounded.filter((name) => !(name in fits)) }
}

/** Reads show the pod of a creation with these members of its body. */
async function expectShown(
  context: Context,
  response: ApiResponse,
  body: Members,
  names: readonly string[],
): Promise<void> {
  const { blocked, check, fixture } = context
  const id = await fixture.createdId(response)
  if (id === null) return blocked('pods.create.read-back', 'a creation succeeded, and its pod is not found')
  const given = names.filter((name) => name in body)
  const rest = await shown(context, id, (pod) => given.every((name) => isShown(name, body[name], pod)))
  check('there').status(rest.response, 200)
  const pod = check('there').pod(rest.response)
  for (const name of given) {
    const observed = `${name} ${show(pod.value[name])}`
    check(name).that(isShown(name, body[name], pod), `${name} ${show(body[name])}`, observed, pod)
  }
  await expectListedAs(context, 'there', settledOnly(pod))
}

/** The pod without what changes while it starts. */
function settledOnly(pod: PodView): PodView {
  const { status: _, actions: __, dataCenterId: ___, ...value } = pod.value
  return { ...pod, value }
}

/** True if a pod shows a member of the body that it was created with. */
export function isShown(name: string, wanted: unknown, { value }: Pick<PodView, 'value'>): boolean {
  const seen = value[name]
  switch (name) {
    case 'name':
      return isNamed(textIn(seen), textIn(wanted))
    case 'image':
      return isImage(textIn(seen), textIn(wanted))
    case 'mounts':
      return sameMounts(seen, wanted)
    case 'ports':
      return [wanted].flat().every((port) => [seen].flat().includes(port))
    case 'env':
      return isPart(membersOf(wanted) ?? {}, membersOf(seen) ?? {})
    case 'gpu':
    case 'cpu': {
      const { id, count, vcpuCount, memory } = membersOf(wanted) ?? {}
      // A pod need not show the count, which is 1 by default.
      const shown = { ...(name === 'gpu' && { count: 1 }), ...membersOf(seen) }
      return isPart({ id, count, vcpuCount, memory }, shown)
    }
    default:
      return canonical(seen) === canonical(wanted)
  }
}

/** True if a text is this image reference. Platforms may write out its registry, the tag `latest` and its digest. */
function isImage(shown: string, image: string): boolean {
  const tagged = shown.replace(/@sha256:[0-9a-f]{64}$/, '')
  const untagged = image.replace(/:latest$/, '')
  return [shown, tagged, tagged.replace(/:latest$/, '')].some((one) => one.endsWith(image) || one.endsWith(untagged))
}

/** True if an object has all members of another one; further members do not matter. */
export function isPart(wanted: Members, seen: Members): boolean {
  return Object.entries(wanted).every(
    ([name, value]) => value === undefined || canonical(seen[name]) === canonical(value),
  )
}
