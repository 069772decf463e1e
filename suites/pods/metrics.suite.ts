import type { ApiResponse } from '../../harness/client/api-response.ts'
import { lengthOf } from '../../harness/common/length.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import type { Context } from '../../harness/rule/context.ts'
import { NotApplicable } from '../../harness/rule/outcome.ts'
import { rule } from '../../harness/rule/registry.ts'
import { poll } from '../shared/poll.ts'
import { kindOfValue } from '../shared/readers.ts'
import { startPod, stopPod } from './answers.ts'
import { runMs as beforeRestartMs, restartPod } from './restarted.ts'
import { cachedMs, slackMs, uptimeIn } from './uptime.ts'

const varies = ['kind', 'mount', 'fields'] as const
interface Uptime {
  readonly response: ApiResponse
  readonly uptimeMs: number
}

/** How long a pod runs before its uptime is read again, ms. */
const runMs = 10_000

rule('pods.shape.runtime-present', { varies }, async (context) => {
  const { check, fixture } = context
  const { id } = await fixture.pod('RUNNING')
  const { response, runtime } = await runtimeOf(context, id, 'runtime')
  check('runtime').that(membersOf(runtime) !== null, 'a runtime while RUNNING', kindOfValue(runtime), response)
})

rule('pods.shape.uptime-value', { varies }, async (context) => {
  const { check, clock, fixture, pods } = context
  // Its only use is its time, which is before the creation.
  const before = await pods.list()
  const { id } = await fixture.pod('RUNNING')
  const { response, uptimeMs } = await uptimeOf(context, id, 'at-most-age')
  const existsMs = response.exchange.received.target - before.exchange.sent.target
  const isPossible = uptimeMs <= existsMs + slackMs
  const expected = 'an uptime no longer than the pod has existed'
  check('at-most-age').that(isPossible, expected, 'an uptime that is longer', response)
  for (const _ of ['first', 'second']) {
    await clock.sleep(beforeRestartMs)
    const restartMs = clock.now()
    await restartPod(context, id)
    await expectAnew(context, id, 'restarted', restartMs)
  }
  await clock.sleep(beforeRestartMs)
  const stopped = await stopPod(context, id)
  const startMs = clock.now()
  await startPod(context, stopped)
  await expectAnew(context, id, 'started', startMs)
  await clock.sleep(runMs)
  await expectAnew(context, id, 'pace', startMs)
})

/** The uptime of a pod is no longer than the time since its container was asked to begin anew. */
async function expectAnew(context: Context, id: string, clause: string, sinceMs: number): Promise<void> {
  const isAnew = ({ response, uptimeMs }: Uptime) => uptimeMs <= response.exchange.received.target - sinceMs + slackMs
  const later = await poll(context, cachedMs + runMs, () => uptimeOf(context, id, clause), isAnew)
  context.check(clause).that(isAnew(later), 'an uptime that starts over', 'an uptime that goes on', later.response)
}

rule('pods.shape.uptime-grows', { varies }, async (context) => {
  const { check, clock, fixture } = context
  const { id } = await fixture.pod('RUNNING')
  const first = await uptimeOf(context, id, 'grows')
  await clock.sleep(runMs)
  const later = await poll(
    context,
    cachedMs + runMs,
    () => uptimeOf(context, id, 'grows'),
    ({ uptimeMs }) => uptimeMs > first.uptimeMs,
  )
  const grownMs = later.uptimeMs - first.uptimeMs
  check('grows').that(grownMs > 0, 'an uptime that grows', 'an uptime that does not', later.response)
  const passedMs = later.response.exchange.received.target - first.response.exchange.sent.target
  // The first value may have been cached.
  const isPossible = grownMs <= passedMs + cachedMs + slackMs
  check('pace').that(
    isPossible,
    `at most ${lengthOf(cachedMs)} more than the time that passed`,
    'an uptime that grows faster',
    later.response,
  )
})

/** The uptime that a RUNNING pod shows, ms. Rejects with NotApplicable if its runtime has none. */
async function uptimeOf(context: Context, id: string, clause: string): Promise<Uptime> {
  const { response, runtime } = await poll(context, runMs, () => runtimeOf(context, id, clause), hasUptime)
  if (membersOf(runtime) === null) context.blocked('pods.shape.runtime-present', 'a RUNNING pod has no runtime')
  const uptimeMs = uptimeIn(membersOf(response.json))
  if (uptimeMs === null) throw new NotApplicable('the runtime of a RUNNING pod shows no uptime')
  return { response, uptimeMs }
}

/** The runtime of a pod that stays RUNNING, once it has one or has had its time. */
async function runtimeOf(context: Context, id: string, clause: string) {
  const { blocked, check, pods, target } = context
  const response = await poll(context, target.tolerances.settleMs, () => pods.get(id), isMeasured)
  const { runtime, status } = check(clause).pod(response).value
  if (status !== 'RUNNING') blocked('pods.status.running-lasts', `the pod is ${status} although nobody touched it`)
  return { response, runtime }
}

/** False while a runtime may still get its uptime, which is optional. */
function hasUptime({ runtime }: { readonly runtime: unknown }): boolean {
  const members = membersOf(runtime)
  return members === null || members.uptime !== undefined
}

/** True once a pod has a runtime, or cannot have one any more. */
function isMeasured({ json }: ApiResponse): boolean {
  const { runtime, status } = membersOf(json) ?? {}
  return status !== 'RUNNING' || membersOf(runtime) !== null
}
