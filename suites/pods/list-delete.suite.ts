import type { PodView } from '../../harness/exchange/read.ts'
import type { PodShape } from '../../harness/planes/pods/fixtures/types.ts'
import { isRefusal } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod, aPod } from '../../harness/variation/dimensions.ts'
import { expectListed, expectUnlisted } from '../shared/listing.ts'
import { bareStates, mountStates, setLock } from '../shared/patching.ts'
import { laterPodReads } from '../shared/unchanged.ts'
import { expectTerminated, stopPod } from './answers.ts'

type Deleted = PodShape & { readonly status: 'RUNNING' | 'EXITED' | 'STARTING' }

rule('pods.delete', { each: deletedPods, varies: [...aPod, 'branch'] }, async (context, { status, ...shape }) => {
  const { check, fixture, notJudged, pods, settle } = context
  const pod = status === 'STARTING' ? await startingPod(context, shape) : await fixture.pod(status, shape)
  const { id } = pod
  const answered = await pods.delete(id)
  // Only terminate is described for a pod that is on its way to RUNNING.
  if (pod.status !== 'RUNNING' && status === 'STARTING' && isRefusal(answered))
    return notJudged(status, `DELETE was answered ${answered.status} while ${pod.status}`)
  check('answered').success(answered)
  const { response } = await settle(id, (seen) => seen === 'gone' || seen === 'TERMINATED')
  expectTerminated(check('gone'), response)
  // How a second DELETE is answered is open; the rules about every error judge the form of a refusal.
  await pods.delete(id)
  for await (const later of laterPodReads(context, id)) expectTerminated(check('stays-gone'), later)
  await expectUnlisted(context, 'stays-gone', id)
})

rule('pods.list.contains', { each: listedPods, varies: [...anyPod, 'branch'] }, async (context, shape) => {
  if (shape === 'ERROR') return expectListedOnce(context, (await context.fixture.pod('ERROR')).id, 'ERROR')
  if (shape === 'locked') return expectLockedListed(context)
  const { id } = await context.fixture.pod('RUNNING', shape)
  await expectListedOnce(context, id, 'RUNNING')
  await stopPod(context, id)
  // A list may also lose a pod some time after it was stopped.
  await context.clock.sleep(context.lastRereadMs())
  await expectListedOnce(context, id, 'EXITED')
})

/** Pods with each mount, and those that a careless query leaves out. */
function listedPods(context: Pick<Context, 'part'>): readonly (PodShape | 'ERROR' | 'locked')[] {
  const { part } = context
  const states = part('pod.error') ? (['ERROR'] as const) : []
  return [...mountStates(context), ...states, ...(part('pod.locked') ? (['locked'] as const) : [])]
}

async function expectLockedListed(context: Context): Promise<void> {
  const { fixture, notJudged } = context
  const { id } = await fixture.pod('RUNNING')
  const { settled } = await setLock(context, id, true)
  if (!settled) return notJudged('locked', 'the PATCH that locks a pod was not carried out')
  await expectListedOnce(context, id, 'locked')
}

/** A pod in each status that a platform keeps it in, and one on its way to RUNNING, of each kind on offer. */
function deletedPods(context: Pick<Context, 'part'>): readonly Deleted[] {
  const exited = context.part('pod.exited') ? (['EXITED'] as const) : []
  const statuses = ['RUNNING', ...exited, 'STARTING'] as const
  return statuses.flatMap((status) => bareStates(context).map((shape) => ({ ...shape, status })))
}

/** A new pod as soon as it is not PROVISIONING, so STARTING unless that is too short to be seen. */
async function startingPod({ fixture, settle }: Context, shape: PodShape): Promise<PodView> {
  const pod = await fixture.fresh(shape)
  return (await settle(pod.id, (status) => status !== 'PROVISIONING')).pod ?? pod
}

async function expectListedOnce(context: Context, id: string, status: string): Promise<void> {
  const { listed, response } = await expectListed(context, id, `the pod in the list while it is ${status}`)
  const count = listed.filter((entry) => entry.id === id).length
  context.check('once').that(count === 1, 'the pod in the list once', `${count} times`, response)
}
