import type { Reply } from '../harness/client/reply.ts'
import type { Context } from '../harness/context.ts'
import { type PodView, podOf } from '../harness/read.ts'

/** A refused call has changed nothing about a pod, neither at once nor later. */
export async function staysUnchanged(context: Context, before: PodView): Promise<void> {
  await isSame(context, await context.pods.get(before.id), before)
  for await (const reply of laterLooks(context, before.id)) await isSame(context, reply, before)
}

/** Says of a pod that is gone that it is: a bare 404 reads as one more refusal. */
async function isSame(context: Context, reply: Reply, before: PodView): Promise<void> {
  const { check } = context
  const isGone = reply.status === 404
  check('unchanged').that(!isGone, 'the pod as it was before calls that were refused', 'status 404: it is gone', reply)
  const status = reply.status === 200 ? podOf(reply.json, 0)?.status : undefined
  if (before.status === 'EXITED' && status !== undefined && status !== 'EXITED') await refuseRestless(context)
  check('unchanged').sameAs(reply, before)
}

/** Ends the rule as blocked if a pod that nobody touches does not stay EXITED either. */
export async function refuseRestless(context: Context): Promise<void> {
  const { blocked, fixture } = context
  const { id } = await fixture.pod('EXITED')
  for await (const reply of laterLooks(context, id)) {
    const status = podOf(reply.json, 0)?.status
    if (status !== 'EXITED') blocked('pods.action.running.stop', `a pod that nobody touches does not stay EXITED`)
  }
}

/** The pod as it is read later, once for each second look of the run. */
export async function* laterLooks({ clock, looks, pods }: Pick<Context, 'clock' | 'looks' | 'pods'>, id: string) {
  const startMs = clock.now()
  for (const ms of looks()) {
    await clock.at(startMs + ms)
    yield await pods.get(id)
  }
}

/** The pod as it is read at the last of these looks. */
export async function lookAgain(context: Pick<Context, 'clock' | 'looks' | 'pods'>, id: string): Promise<Reply> {
  await context.clock.sleep(context.looks().at(-1) ?? 0)
  return context.pods.get(id)
}
