import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { type Members, membersOf, type PodView, podOf, show, textIn } from '../../harness/exchange/read.ts'
import { retryOnNoCapacity } from '../../harness/planes/pods/fixtures/creating.ts'
import type { Check } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { shown } from '../shared/patching.ts'
import { poll } from '../shared/poll.ts'
import { startPod, stopPod } from './answers.ts'
import { isPart } from './creation.ts'
import {
  fileIn,
  inAnotherStart,
  notResponding,
  probeBody,
  probedPod,
  type Report,
  reportOf,
  restart,
  writeFile,
} from './probe.ts'

/** A platform may take only one variable, and only short arguments. */
const variable = 'PLUMBLINE_ENV'
const first = { args: 'x y', env: { [variable]: '0042 = "two words"' } }
const second = { args: 'x z', env: { [variable]: 'changed' } }

/** No registry has a name below `.invalid` (RFC 2606). */
const unpullable = 'plumbline.invalid/no-such-image:1'
/** When a pod whose image cannot be pulled is read, ms after its creation. */
const unpullableMs = [5_000, 15_000, 30_000, 60_000]

const onDisk = '/plumbline-file'
const inFile = 'plumbline'

rule('pods.container.args-env', { varies: ['kind', 'mount', 'history'] }, async (context) => {
  const { check, fixture, on, reading, target, vary } = context
  const withExtra = ({ env }: typeof first) => ({ ...membersOf(target.pods?.extra.env), ...env })
  const { image, ports } = on('probe').body()
  // A PATCH in its history may change args or env.
  const history = vary.draw('history', (one) => one !== 'patched')
  const more = { image, ports, env: withExtra(first) }
  const pod = await fixture.pod('RUNNING', { history, more, optional: { args: first.args } })
  const areTaken = pod.value.args === first.args
  reading('args', areTaken ? 'taken' : 'not taken')
  const report = (await reportOf(context, pod, [variable])) ?? notResponding(context)
  expectGiven(check('args'), check('env'), report, { ...first, args: pod.value.args })

  await stopPod(context, pod.id)
  await changeTo(context, pod, { args: second.args })
  await changeTo(context, pod, { env: withExtra(second) })
  const again = await startPod(context, pod)
  const later = (await reportOf(context, again, [variable])) ?? notResponding(context)
  expectGiven(check('patched-args'), check('patched-env'), later, again.value)
})

rule('pods.lifecycle.running-healthy', { varies: ['kind', 'mount', 'history'] }, async (context) => {
  const { check, clock, fixture, lacksCapacity, pods, reading } = context
  const pod = await fixture.pod('RUNNING', { more: probeBody(context) })
  const report = await reportOf(context, pod)
  check('responds').that(report !== null, 'a response of the container', 'no response', report?.response ?? pod)

  const created = await retryOnNoCapacity(lacksCapacity, clock, async () =>
    pods.create(await fixture.body({}, { ...probeBody(context), image: unpullable })),
  )
  const createdMs = clock.now()
  const id = await fixture.createdId(created)
  if (id === null) return reading('unpullable', isSuccess(created.status) ? 'no pod' : 'refused')
  for (const ms of unpullableMs) {
    await clock.at(createdMs + ms)
    const read = await pods.get(id)
    const status = podOf(read.json, read.exchange.n)?.status ?? 'gone'
    check('not-running').that(status !== 'RUNNING', 'another status than RUNNING', 'status RUNNING', read)
    reading('unpullable', status)
  }
})

rule('pods.action.restart-wipes-disk', { varies: ['kind', 'mount', 'history'] }, async (context) => {
  const { check } = context
  const before = await probedPod(context)
  await useDisk(context, before)
  const after = await inAnotherStart(context, await restart(context, before.pod), before)
  if (after === null)
    return check('restarted').that(false, 'another start of the container', 'the same, or no response', before.response)
  const { response, text } = await fileIn(context, after, onDisk)
  check('wiped').that(text === null, 'no file of before the restart', 'the file of before the restart', response)
})

rule('pods.action.stop-keeps-disk', { varies: ['kind', 'mount', 'history'] }, async (context) => {
  const { check, reading } = context
  const before = await probedPod(context)
  await useDisk(context, before)
  await stopPod(context, before.pod.id)
  const after = await inAnotherStart(context, await startPod(context, before.pod), before)
  if (after === null) return notResponding(context)
  const { response, text } = await fileIn(context, after, onDisk)
  check('whole').that(text === null || text === inFile, `${show(inFile)}, or no file`, show(text), response)
  reading('disk', text === null ? 'wiped' : 'kept')
})

rule('pods.global-networking.reachable', { varies: ['kind'] }, async (context) => {
  const { check, inconclusive, on, target } = context
  const networked = { ...target.pods?.networked }
  const from = await probedPod(context, {}, networked)
  const to = await probedPod(context, {}, networked)
  const shownOf = (pod: PodView) => membersOf(pod.value.globalNetworking) ?? {}
  const { pod } = await shown(context, to.pod.id, (read) => 'ip' in shownOf(read))
  const { ip, internalDns } = shownOf(pod ?? to.pod)
  if (typeof ip !== 'string' || typeof internalDns !== 'string')
    return inconclusive('a pod created with pods.networked does not show ip and internalDns')
  const startAt = ({ json }: ApiResponse) => membersOf(json)?.start ?? null
  for (const [clause, host] of [
    ['ip', ip],
    ['dns', internalDns],
  ] as const) {
    const call = () => on('probe').callPeer(from.at, host)
    const response = await poll(context, target.tolerances.containerMs, call, (seen) => startAt(seen) === to.start)
    const start = startAt(response)
    const observed = start === null ? 'no response' : 'that of another container'
    check(clause).that(start === to.start, 'the response of the other pod', observed, response)
  }
})

/** Changes a pod, and waits until reads show that. PATCH may refuse what is no mount. */
async function changeTo(context: Context, { id }: PodView, body: Members): Promise<void> {
  const { status } = await context.pods.patch(id, body)
  const isShown = ({ value }: PodView) =>
    'env' in body ? isPart(membersOf(body.env) ?? {}, membersOf(value.env) ?? {}) : isPart(body, value)
  if (isSuccess(status)) await shown(context, id, isShown)
}

/** The container has the arguments and the variable of its pod. */
function expectGiven(ofArgs: Check, ofEnv: Check, { args, env, response }: Report, set: Members): void {
  const given = args.map(textIn).join(' ')
  ofArgs.that(given === textIn(set.args), `the arguments ${show(set.args)}`, show(given), response)
  const value = membersOf(set.env)?.[variable]
  ofEnv.that(env[variable] === value, `${variable} ${show(value)}`, show(env[variable]), response)
}

/** Writes a file to the container disk. Ends the rule as inconclusive if it is not there afterwards. */
async function useDisk(context: Context, report: Report): Promise<void> {
  const written = await writeFile(context, report, onDisk, inFile)
  if (!written) context.inconclusive('the probe cannot write to the container disk')
}
