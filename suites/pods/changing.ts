import type { Context } from '../harness/context.ts'
import { changeOf, shows } from '../harness/fixtures/change.ts'
import { planeOf } from '../harness/fixtures/pods.ts'
import type { Members, PodView } from '../harness/read.ts'
import { shown } from './patching.ts'

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
