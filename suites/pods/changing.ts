import type { Context } from '../harness/context.ts'
import { planeOf } from '../harness/fixtures/pods.ts'
import { type Members, membersOf, type PodView } from '../harness/read.ts'
import { sameMounts, shown } from './patching.ts'

/** A variable of no effect: images have no use for it. */
const variable = 'PLUMBLINE_CHANGE'

/**
 * A PATCH body that changes a pod harmlessly, in the field that the target file names (`pods.change`); each `mark` makes
 * another change. Where the target changes nothing but mounts: an empty mounts object, which leaves the pod as it is.
 */
export function changeOf({ target }: Pick<Context, 'target'>, { value }: PodView, mark: string): Members {
  const { change } = planeOf(target)
  switch (change) {
    case null:
      return { mounts: {} }
    case 'env':
      return { env: { ...membersOf(value.env), [variable]: mark } }
    case 'args':
      return { args: `${value.args ?? ''} plumbline-${mark}`.trim() }
    case 'name':
      return { name: `${value.name}-${mark}` }
  }
}

/** Whether a pod shows what a PATCH asked for. */
export function shows({ value }: PodView, body: Members): boolean {
  return Object.entries(body).every(([name, wanted]) => {
    // Platforms add variables of their own; an empty mounts object asks for nothing.
    if (name === 'env') return membersOf(value.env)?.[variable] === membersOf(wanted)?.[variable]
    if (name === 'mounts') return Object.keys(membersOf(wanted) ?? {}).length === 0 || sameMounts(value.mounts, wanted)
    return value[name] === wanted
  })
}

/** Changes the pod harmlessly and waits until that is read; inconclusive where this target does not do so. */
export async function changes(context: Context, pod: PodView): Promise<PodView> {
  const body = changeOf(context, pod, 'b')
  const reply = await context.pods.patch(pod.id, body)
  if (reply.status >= 300) {
    const field = planeOf(context.target).change
    context.inconclusive(
      `a PATCH of ${field} answered ${reply.status}; where PATCH changes another field, name it as pods.change`,
    )
  }
  return changed(context, pod.id, body)
}

/** The pod once it is read with what a PATCH asked for. */
export async function changed(context: Context, id: string, body: Members): Promise<PodView> {
  const { pod, settled } = await shown(context, id, (seen) => shows(seen, body))
  if (settled && pod !== null) return pod
  return context.inconclusive(`a PATCH of ${Object.keys(body).join(' and ')} was answered and not carried out`)
}
