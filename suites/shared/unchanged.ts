import type { ApiResponse } from '../../harness/client/api-response.ts'
import { evenPauses, pollOn } from '../../harness/clock/poll.ts'
import { withoutRun } from '../../harness/common/run-names.ts'
import { changedFields, fieldsText, livelyFields, type PodView, podOf } from '../../harness/exchange/read.ts'
import { nameOf } from '../../harness/planes/pods/fixtures/pod-body.ts'
import type { Context } from '../../harness/rule/context.ts'
import { Blocked } from '../../harness/rule/outcome.ts'
import type { ValueOf } from '../../harness/variation/dimensions.ts'
import { withOwnVariables } from './changing.ts'
import { expectListedAs } from './listing.ts'

/** Waits for each reread of the run in turn. */
export async function* rereadMoments({
  clock,
  rereadDelays,
}: Pick<Context, 'clock' | 'rereadDelays'>): AsyncGenerator<number> {
  const startMs = clock.now()
  for (const ms of rereadDelays()) {
    await clock.at(startMs + ms)
    yield ms
  }
}

/** Refused calls have changed nothing about these pods, neither at once nor later. */
export async function expectUnchanged(context: Context, ...all: readonly PodView[]): Promise<void> {
  const look = async () => {
    for (const before of all) await expectSame(context, await context.pods.get(before.id), before)
  }
  await look()
  for await (const _ of rereadMoments(context)) await look()
  await expectListedAs(context, 'unchanged', ...all)
}

/** Says of a pod that is gone that it is: a bare 404 reads as one more refusal. */
async function expectSame(context: Context, response: ApiResponse, before: PodView): Promise<void> {
  const { check } = context
  const isGone = response.status === 404
  check('unchanged').that(
    !isGone,
    'the pod as it was before calls that were refused',
    'status 404: it is gone',
    response,
  )
  const status = response.status === 200 ? podOf(response.json, 0)?.status : undefined
  if (status !== undefined && status !== before.status) await blockIfStatusNeverLasts(context, before)
  check('unchanged').sameAs(response, before)
}

/** For so long after a pod was first RUNNING a control is looked at with each poll, ms. */
const firstMs = 10_000

/** The rule about what brings a pod to the status that it does not keep, by the last of its history. */
const rulesThatBring = {
  restarted: 'pods.action.running.restart',
  'restarted and started': 'pods.action.running.restart',
  'stopped and started': 'pods.action.exited.start',
  'refused before': 'pods.action.running.start',
} as const

/**
 * Ends the rule as blocked if a pod that nobody touches does not keep this status either. It is watched for as long as the
 * rule has had its own: a shorter watch would blame the rule for a status that ends by itself.
 */
export async function blockIfStatusNeverLasts(
  context: Context,
  { id, status, value }: PodView,
  history = context.vary.drawn().history?.at(-1) as ValueOf<'history'> | undefined,
): Promise<void> {
  const { clock, fixture, lastRereadMs, rereadDelays, pods, row, target } = context
  if (status !== 'EXITED' && status !== 'RUNNING') return
  const known = rulesThatBring[history as keyof typeof rulesThatBring] ?? 'pods.status.running-lasts'
  const kind = 'cpu' in value ? 'cpu' : 'gpu'
  // Rules about stop draw other kinds of pods.
  const by = status === 'EXITED' ? nameOf(status, target, { kind }) : known
  // A rule does not blame itself, nor does that of stop, which would wait for its own effect.
  if (by === row.id || row.id === 'pods.action.running.stop') return
  const heldMs = Math.max(fixture.heldMs(id), lastRereadMs())
  const isNew = status === 'RUNNING' && (history ?? 'fresh') === 'fresh'
  const control = isNew
    ? await fixture.fresh({ kind })
    : await fixture.pod(status, { kind, ...(history === undefined ? {} : { history }) })
  const expectStays = async () => {
    if (podOf((await pods.get(control.id)).json, 0)?.status === status) return
    throw new Blocked(by, `a pod that nobody touches does not stay ${status}`)
  }
  if (isNew) {
    // A change soon after the pod was first RUNNING would be over before a fixture hands it out.
    const { pollMs } = target.tolerances
    const comes = evenPauses(clock, pollMs, clock.now() + target.tolerances.settleMs)
    const first = await pollOn(
      clock,
      comes,
      () => pods.get(control.id),
      ({ json }) => podOf(json, 0)?.status === status,
    )
    if (podOf(first.json, 0)?.status !== status) return
    for (const ms of evenPauses(clock, pollMs, clock.now() + firstMs)) {
      await clock.sleep(ms)
      await expectStays()
    }
  }
  const sinceMs = clock.now()
  for (const ms of [...rereadDelays().filter((look) => look < heldMs), heldMs]) {
    await clock.at(sinceMs + ms)
    await expectStays()
  }
}

/** The pod as it is read later, once for each second look of the run. */
export async function* laterPodReads(context: Pick<Context, 'clock' | 'rereadDelays' | 'pods'>, id: string) {
  for await (const _ of rereadMoments(context)) yield await context.pods.get(id)
}

/** Expects the described fields of a pod as before, except those put `aside`; of the variables, those of the run. */
export function expectKept(
  { check }: Pick<Context, 'check'>,
  clause: string,
  before: PodView,
  after: PodView,
  aside: Iterable<string> = livelyFields,
): void {
  const own = ({ value }: PodView) => withOwnVariables(value)
  const changed = changedFields(own(before), own(after), new Set(aside))
  const text = (pod: PodView) => withoutRun(fieldsText(own(pod), changed))
  check(clause).that(changed.length === 0, text(before), text(after), after)
}
