import { isSuccess } from '../../harness/exchange/exchange.ts'
import { livelyFields, membersOf, type PodView } from '../../harness/exchange/read.ts'
import { changeOf, shows } from '../../harness/planes/pods/fixtures/change.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { aPod } from '../../harness/variation/dimensions.ts'
import type { ChangeField } from '../../target/types.ts'
import { responsesTo } from '../shared/at-once.ts'
import { changes } from '../shared/changing.ts'
import { expectListedAs } from '../shared/listing.ts'
import { movedPod, setLock, shown } from '../shared/patching.ts'
import { blockIfStatusNeverLasts, expectKept, laterPodReads } from '../shared/unchanged.ts'
import { unusualVariables } from './creation.ts'

/** Suffixes of changed values. A platform may refuse the unusual one. */
const marks = ['d  "\u{1f680}" e\u0301 ', 'd']

/** Fields that may change by themselves, and the mounts, which pods.patch.omitted judges. */
const judgedElsewhere = [...livelyFields, 'mounts']

rule('pods.patch.others', { varies: [...aPod, 'history', 'part'] }, async (context) => {
  const { check, fixture, notJudged, part, pods, settle, target, vary } = context
  const env = { ...membersOf(target.pods?.extra.env), ...unusualVariables }
  const made = await fixture.pod('EXITED', { optional: { env } })
  const moved = await movedPod(context, made)
  if (moved !== made) expectKept(context, 'others', made, moved, judgedElsewhere)
  const { pod } = moved === made ? await changes(context, made) : { pod: moved }
  let last = pod
  // A platform may refuse to change some, and may carry out others with the next start.
  const left = new Set<ChangeField>()
  const done: ChangeField[] = []
  for (const field of ['args', 'name', 'env'] as const) {
    const { read, isDone } = await expectOthersKept(context, last, field, left)
    if (!isDone) left.add(field)
    else if (read !== last) done.push(field)
    last = read
  }
  const ignored = [...left]
  // Three fields make two pairs, so one is changed twice: a platform may lose the second change.
  for (const two of [done.slice(0, 2), done.slice(-2)]) last = await expectBothDone(context, last, two, left)
  for await (const response of laterPodReads(context, pod.id)) {
    const later = check('others').pod(response)
    if (later.status !== 'EXITED') await blockIfStatusNeverLasts(context, pod)
    check('status').that(later.status === 'EXITED', 'status EXITED', `status ${later.status}`, response)
    expectKept(context, 'others', last, later, [...judgedElsewhere, ...left])
    last = later
  }
  const isLocked = part('pod.locked') && vary.parts(['unlocked', 'locked']).includes('locked')
  const unlocked = isLocked ? await expectLockKept(context, last, done, left) : last
  if (unlocked === null) return notJudged('started', 'the pod is not unlocked')
  last = unlocked
  await expectListedAs(context, 'others', last)
  const started = await pods.act(pod.id, 'start')
  if (!isSuccess(started.status)) return notJudged('started', 'the start is refused')
  // A pod may have ports of the platform only while it runs.
  const aside = [...judgedElsewhere, 'ports', ...left]
  expectKept(context, 'started', last, check('started').pod(started), aside)
  for (const field of ignored) await expectDoneByStart(context, last, field, left)
  const { pod: running, settled } = await settle(pod.id, (status) => status === 'RUNNING')
  const restarted = settled ? await pods.act(pod.id, 'restart') : null
  if (running === null || restarted === null || !isSuccess(restarted.status))
    return notJudged('restarted', 'the pod is not restarted')
  expectKept(context, 'restarted', running, check('restarted').pod(restarted), aside)
})

/** A PATCH of other fields leaves a lock. Returns the pod once it is unlocked again, null if it is not. */
async function expectLockKept(
  context: Context,
  before: PodView,
  fields: readonly ChangeField[],
  left: ReadonlySet<string>,
): Promise<PodView | null> {
  const { notJudged, pods } = context
  const [field] = fields
  const beside = field === undefined ? {} : changeOf(context, before, 'g', field)
  const together = await setLock(context, before.id, true, beside)
  const { pod, settled } = together.settled ? together : await setLock(context, before.id, true)
  if (field !== undefined && settled && isSuccess(together.patch.status))
    context.check('together').that(together.settled, `a lock beside another ${field}`, 'no lock', together.response)
  const locked = settled ? pod : null
  const isDone = (seen: PodView) => shows(seen, beside)
  const isBesideDone =
    !together.settled || pod === null || isDone(pod) || (await shown(context, pod.id, isDone)).settled
  let isWhole = true
  const body = Object.assign({}, ...fields.map((field) => changeOf(context, locked ?? before, 'f', field)))
  if (locked === null || fields.length === 0 || !isSuccess((await pods.patch(before.id, body)).status)) {
    notJudged('locked', 'an EXITED pod is not locked, or not changed then')
  } else {
    const { pod: after, settled } = await shown(context, before.id, (seen) => shows(seen, body))
    if (after !== null) expectKept(context, 'others', locked, after, [...judgedElsewhere, ...left, ...fields])
    isWhole = settled
    // A pod that changes while it is locked changes in the PATCH that locks it.
    if (field !== undefined && settled && together.settled)
      context
        .check('together')
        .that(isBesideDone, `the new ${field} beside the lock`, `the old ${field}`, together.response)
  }
  const unlocked = await setLock(context, before.id, false)
  // The lock may be why not all are carried out.
  if (!isWhole && isSuccess((await pods.patch(before.id, body)).status)) {
    const { response, settled } = await shown(context, before.id, (seen) => shows(seen, body))
    context.check('together').that(settled, `new ${fields.join(', ')}`, 'not all of them', response)
  }
  return unlocked.settled ? unlocked.pod : null
}

/** PATCHes of two fields at once, each of which works alone: unless one is refused, both are carried out. */
async function expectBothDone(
  context: Context,
  before: PodView,
  fields: readonly ChangeField[],
  left: Set<ChangeField>,
): Promise<PodView> {
  const { check, notJudged, pods, reserve } = context
  if (fields.length < 2) {
    notJudged('at once', 'fewer than two fields can be changed')
    return before
  }
  const bodies = fields.map((field) => changeOf(context, before, 'e', field))
  await reserve(bodies.length)
  const coming = bodies.map((body) => pods.begin('updatePod', { ids: { id: before.id }, body, raw429: true }))
  const responses = await responsesTo(context, coming)
  const isTaken = responses.every((response) => response !== null && isSuccess(response.status))
  const { pod, response } = await shown(context, before.id, (seen) => bodies.every((body) => shows(seen, body)))
  if (pod === null || !isTaken) {
    notJudged('at once', 'PATCHes of two fields are not both accepted')
    for (const field of fields) left.add(field)
    return pod ?? before
  }
  const lost = fields.filter((_, at) => !shows(pod, bodies[at] ?? {}))
  const expected = `both PATCHes take effect: ${fields.join(', ')}`
  check('at-once').that(lost.length === 0, expected, `no effect on ${lost.join(', ')}`, response)
  expectKept(context, 'others', before, pod, [...judgedElsewhere, ...left, ...fields])
  return pod
}

/** A start carries out a PATCH that was accepted while the pod was EXITED, if that of a RUNNING pod is carried out. */
async function expectDoneByStart(context: Context, last: PodView, field: ChangeField, left: ReadonlySet<string>) {
  const { status } = await context.settleStarted(last.id)
  if (status !== 'RUNNING') return context.notJudged(field, `the started pod is ${status}`)
  const bodies = marks.map((mark) => changeOf(context, last, mark, field))
  const { settled, response } = await shown(context, last.id, (seen) => bodies.some((body) => shows(seen, body)))
  if (settled) return
  const twin = await context.fixture.pod('RUNNING')
  const { read, isDone } = await expectOthersKept(context, twin, field, left)
  const expected = `a new ${field} after the start, as on a RUNNING pod`
  context.check('exited').that(read === twin || !isDone, expected, `the old ${field} after the start`, response)
}

/** A PATCH of one field, unusual or plain, changes no other one. It is not done if it is accepted and not carried out. */
async function expectOthersKept(context: Context, before: PodView, field: ChangeField, left: ReadonlySet<string>) {
  for (const mark of marks) {
    const body = changeOf(context, before, mark, field)
    if (!isSuccess((await context.pods.patch(before.id, body)).status)) continue
    const { pod: after, settled } = await shown(context, before.id, (seen) => shows(seen, body))
    if (after !== null) expectKept(context, 'others', before, after, [...judgedElsewhere, ...left, field])
    return { read: after ?? before, isDone: settled }
  }
  context.notJudged(field, 'the PATCH is refused')
  return { read: before, isDone: true }
}
