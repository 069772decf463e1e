import type { Reply } from '../../harness/client/reply.ts'
import { canonical, type Members, membersOf, type PodView, show } from '../../harness/exchange/read.ts'
import type { PodShape } from '../../harness/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { isNamed } from '../shared/listing.ts'
import { eachOf, type Shapes, sameMounts, shown } from '../shared/patching.ts'
import type { AcceptTable } from '../shared/table.ts'
import { creates } from './creation.ts'

/** Creations of pods of these shapes that are accepted. */
export function acceptedCreation(
  shapes: Shapes,
): Pick<AcceptTable<PodShape>, 'operation' | 'each' | 'varies' | 'body' | 'send' | 'expectShown'> {
  return {
    operation: () => 'createPod',
    each: eachOf(shapes),
    varies: [],
    body: ({ fixture }, shape) => fixture.body({ fields: 'few', ...shape }),
    send: creates,
    expectShown,
  }
}

/** Reads show the pod of a creation with these members of its body. */
async function expectShown(context: Context, reply: Reply, body: Members, names: readonly string[]): Promise<void> {
  const { blocked, check, fixture } = context
  const id = await fixture.createdId(reply)
  if (id === null) return blocked('pods.create.read-back', 'a creation succeeded, and its pod is not found')
  const given = names.filter((name) => name in body)
  const rest = await shown(context, id, (pod) => given.every((name) => isShown(name, body[name], pod)))
  check('there').status(rest.reply, 200)
  const pod = check('there').pod(rest.reply)
  for (const name of given) {
    const observed = `${name} ${show(pod.value[name])}`
    check(name).that(isShown(name, body[name], pod), `${name} ${show(body[name])}`, observed, pod)
  }
}

/** True if a pod shows a member of the body that it was created with. */
export function isShown(name: string, wanted: unknown, { value }: PodView): boolean {
  const seen = value[name]
  switch (name) {
    case 'name':
      return isNamed(String(seen), String(wanted))
    case 'image':
      // Platforms may write the registry out.
      return typeof seen === 'string' && seen.endsWith(String(wanted))
    case 'mounts':
      return sameMounts(seen, wanted)
    case 'ports':
      return canonical(seen, true) === canonical(wanted, true)
    case 'env':
      return isPart(membersOf(wanted) ?? {}, membersOf(seen) ?? {})
    case 'gpu':
    case 'cpu': {
      const { id, count, vcpuCount, memory } = membersOf(wanted) ?? {}
      return isPart({ id, count, vcpuCount, memory }, membersOf(seen) ?? {})
    }
    default:
      return canonical(seen) === canonical(wanted)
  }
}

/** True if an object has all members of another one; further members do not matter. */
export function isPart(wanted: Members, seen: Members): boolean {
  return Object.entries(wanted).every(
    ([name, value]) => value === undefined || canonical(seen[name]) === canonical(value),
  )
}
