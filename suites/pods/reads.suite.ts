import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { idIn, membersOf, noListText, type PodView, show, textIn } from '../../harness/exchange/read.ts'
import { changeOf } from '../../harness/planes/pods/fixtures/change.ts'
import { restartBeginsMs } from '../../harness/planes/pods/fixtures/history.ts'
import { flavorsIn, planeOf } from '../../harness/planes/pods/fixtures/pod-body.ts'
import type { Context } from '../../harness/rule/context.ts'
import { NotApplicable } from '../../harness/rule/outcome.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import { afterwards } from '../shared/changing.ts'
import { entriesOf, expectListedAs, listUntil } from '../shared/listing.ts'
import { shown } from '../shared/patching.ts'
import { kindOfValue } from '../shared/readers.ts'
import { inconclusiveIfOtherReason, startPod, stopPod } from './answers.ts'

rule('pods.get.unknown', { varies: anyPod }, async (context) => {
  const { blocked, check, fixture, pods, settle, vary } = context
  const { id } = await fixture.pod('RUNNING')
  const deleted = await pods.delete(id)
  if (!isSuccess(deleted.status)) blocked('pods.delete', `DELETE was answered ${deleted.status}`)
  const rest = await settle(id, (seen) => seen === 'gone' || seen === 'TERMINATED')
  // A platform may go on showing a deleted pod.
  const isShown = rest.status === 'TERMINATED'
  if (rest.pod !== null && !isShown) blocked('pods.delete', `after DELETE the pod is ${rest.status}`)
  const response = isShown ? await pods.get(vary.unknownId(id), { mustBeRefused: true }) : rest.response
  if (isShown) inconclusiveIfOtherReason(context, { id, origin: 'altered' }, response)
  check('not-found').status(response, 404)
})

/** Parameters that no API knows. */
const unknownQueries = {
  'a word': { plumbline: 'unknown' },
  'without a value': { plumbline: '' },
  'in brackets': { 'plumbline[]': 'unknown' },
} as const

rule('pods.query.unknown', { varies: [...anyPod, 'sample'] }, async (context) => {
  const { check, fixture, notJudged, pods, reading, vary } = context
  const { id } = await fixture.pod('RUNNING')
  const { isShown } = await listUntil(context, id)
  if (!isShown) notJudged('pod in the list', 'the list without a parameter does not show it')
  const [, query = {}] = vary.sample('query', Object.entries(unknownQueries), ([name]) => name) ?? []
  for (const [name, response] of [
    ['get', await pods.call('getPod', { ids: { id }, query })],
    ['list', await pods.call('listPods', { query })],
  ] as const) {
    const { status } = response
    const isTaken = isSuccess(status)
    check(name).that(isTaken || status === 400 || status === 422, 'a success, 400 or 422', `status ${status}`, response)
    reading(name, isTaken ? 'ignored' : String(status))
    if (!isTaken || (name === 'list' && !isShown)) continue
    const shown = name === 'get' ? [response.json] : (entriesOf(context, response) ?? [])
    const isSame = shown.some((one) => idIn(one) === id)
    check(name).that(isSame, 'the pod as without the parameter', 'another response', response)
  }
})

rule('pods.catalog.cpus', { varies: ['look'] }, async (context) => {
  const { check, inconclusive, pods, target } = context
  const plane = planeOf(target)
  const look = async () => {
    const response = await pods.cpus()
    check('answered').status(response, 200)
    // The description does not show where the catalog has its flavors.
    const flavors = flavorsIn(plane, response) ?? inconclusive(noFlavorsText(context, response))
    check('flavors').that(flavors.length > 0, 'a list of flavors', show(response.json), response)
    for (const flavor of flavors)
      check('id').that(idIn(flavor) !== null, 'an id in each flavor', kindOfValue(membersOf(flavor)?.id), response)
  }
  await look()
  await lastMoment(context)
  await look()
})

function noFlavorsText({ target }: Context, { status }: ApiResponse): string {
  return noListText('the CPU catalog', status, planeOf(target).flavorsAt, 'pods.flavorsAt')
}

rule('pods.shape.cpu-flavor-listed', { varies: ['mount', 'fields'] }, async (context) => {
  const { blocked, check, fixture, pods } = context
  const pod = await fixture.pod('RUNNING', { kind: 'cpu' })
  const response = await pods.cpus()
  const flavors = flavorsIn(planeOf(context.target), response)
  if (flavors === null) return blocked('pods.catalog.cpus', noFlavorsText(context, response))
  const isListed = flavors.some((flavor) => idIn(flavor) === membersOf(pod.value.cpu)?.id)
  check('listed').that(isListed, 'a flavor of the catalog', 'another flavor', pod)
})

rule('pods.shape.gpu-count-default', { varies: ['mount', 'fields', 'part'] }, async (context) => {
  const { check, fixture, notJudged, part, pods, settle, vary } = context
  const { count: _, ...gpu } = planeOf(context.target).gpu ?? {}
  const pod = await fixture.pod('RUNNING', { kind: 'gpu', more: { gpu } })
  const { count: own = 1 } = membersOf(pod.value.gpu) ?? {}
  check('one').that(own === 1, 'count 1, or none', `count ${show(own)}`, pod)
  const several = await pods.create(await fixture.body({ kind: 'gpu' }, { gpu: { ...gpu, count: 2 } }))
  const id = await fixture.createdId(several)
  // The description does not say how many GPUs a pod may have, or that so many are free.
  if (id === null) return notJudged('two', `the creation is answered ${several.status}`)
  const countOf = (one: PodView | null) => membersOf(one?.value.gpu)?.count
  const rest = await shown(context, id, (one) => countOf(one) === 2)
  // It may be gone for lack of two GPUs.
  if (rest.pod === null) return notJudged('two', 'the pod was gone')
  check('two').that(rest.settled, 'count 2', `count ${show(countOf(rest.pod))}`, rest.response)
  if (!vary.parts(['created', 'started']).includes('started')) return
  if (part('pods.change')) await pods.patch(id, changeOf(context, rest.pod, 'b'))
  // For the invariant pods.shape.runtime: only a RUNNING pod has runtime.gpus, here with two entries.
  await settle(id, (status) => status === 'RUNNING')
  const stopped = await pods.act(id, 'stop')
  if (!isSuccess(stopped.status) || !(await settle(id, (status) => status === 'EXITED')).settled)
    return notJudged('started', 'the pod is not stopped')
  const started = await pods.act(id, 'start')
  if (!isSuccess(started.status)) return notJudged('started', 'the start is refused')
  const count = countOf(check('started').pod(started))
  check('started').that(count === 2, 'count 2', `count ${show(count)}`, started)
})

rule('pods.shape.template-null', { varies: ['kind', 'mount', 'fields', 'look'] }, async (context) => {
  const { check, fixture, pods, target } = context
  if (membersOf(planeOf(target).extra)?.template !== undefined)
    throw new NotApplicable('the target file has pods created from a template')
  const expectNull = (pod: PodView) => {
    const { template } = pod.value
    check('null').that(template === null, 'template null', `template ${kindOfValue(template)}`, pod)
  }
  const pod = await fixture.pod('RUNNING')
  expectNull(pod)
  await lastMoment(context)
  expectNull(check('null').pod(await pods.get(pod.id)))
})

/** Of rules about members that a pod has from its creation. */
const givenVaries = ['kind', 'mount', 'fields', 'look', 'seenIn', 'afterwards'] as const

rule('pods.shape.template', { varies: givenVaries }, (context) => {
  const { id = null, body = {} } = planeOf(context.target).fromTemplate ?? {}
  return expectKeptFromCreation(context, 'template', id, body)
})

rule('pods.shape.registry', { varies: givenVaries }, (context) => {
  const { id = null, body = {} } = planeOf(context.target).registry ?? {}
  return expectKeptFromCreation(context, 'registry', id, body)
})

/** A pod that is created with `body` shows `id` as its member `name`, in each of its states and also once it is changed. */
async function expectKeptFromCreation(
  context: Context,
  name: 'template' | 'registry',
  id: string | null,
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { check, fixture, notJudged, part, pods, target } = context
  const expectId = (pod: PodView) => {
    const shown = pod.value[name]
    check('id').that(shown === id, `the id of the ${name}`, `${name} ${kindOfValue(shown)}`, pod)
  }
  const env = { ...membersOf(target.pods?.extra.env), PLUMBLINE: 'kept' }
  const pod = await fixture.fresh({ more: { env, ...body } })
  const read = async () => {
    const seen = check('id').pod(await pods.get(pod.id))
    expectId(seen)
    return seen
  }
  expectId(pod)
  await lastMoment(context)
  const last = await read()
  await expectListedAs(context, 'id', { ...last, value: { [name]: last.value[name] } })
  await afterwards(context, last, read)
  if (!part('pods.change')) return
  const { image, name: was } = last.value
  const { status } = await pods.patch(pod.id, { image, name: `${textIn(was)}-b` })
  if (!isSuccess(status)) return notJudged('after a PATCH', 'the PATCH is refused')
  await read()
}

rule('pods.global-networking.address', { varies: ['kind', 'mount', 'history'] }, async (context) => {
  const { check, clock, fixture, inconclusive, notJudged, part, pods, settle, target } = context
  const networkOf = (shown: PodView | null) => membersOf(shown?.value.globalNetworking) ?? {}
  const isNetworked = (shown: PodView | null) => networkOf(shown).enabled === true
  const hasText = (shown: PodView | null, name: string) => textIn(networkOf(shown)[name] ?? '') !== ''
  // Until a pod is RUNNING it may be without the address that it will have.
  const untilNetworked = async (id: string) =>
    (await settle(id, (status, seen) => status === 'RUNNING' && isNetworked(seen) && hasText(seen, 'ip'))).pod
  const expectAddress = (pod: PodView | null, clause?: string) => {
    for (const name of ['ip', 'internalDns']) {
      const value = networkOf(pod)[name]
      const isThere = typeof value === 'string' && value !== ''
      check(clause ?? name).that(isThere, `${name}, because enabled is true`, `${name} ${kindOfValue(value)}`, pod)
    }
  }
  const plain = await fixture.pod('RUNNING', { fields: 'few' })
  if (isNetworked(plain)) expectAddress(await untilNetworked(plain.id), 'unasked')
  const { id } = await fixture.pod('RUNNING', { more: planeOf(target).networked ?? {} })
  const pod = await untilNetworked(id)
  if (pod === null || !isNetworked(pod))
    return inconclusive('a pod created with pods.networked shows no globalNetworking.enabled')
  expectAddress(pod)
  const expectNetworked = async () => {
    const later = await untilNetworked(id)
    check('kept').that(isNetworked(later), 'enabled true, as before', 'enabled false', later)
    expectAddress(later, 'kept')
  }
  const restart = await pods.act(id, 'restart')
  if (isSuccess(restart.status)) {
    await clock.sleep(restartBeginsMs)
    await expectNetworked()
  } else {
    notJudged('restart', 'it was refused')
  }
  await stopPod(context, id)
  if (part('pods.change') && !isSuccess((await pods.patch(id, changeOf(context, pod, 'c'))).status))
    notJudged('after a PATCH', 'the PATCH is refused')
  await startPod(context, pod)
  await expectNetworked()
})

/** Waits for the last second look of the run: one more read is enough for what nothing changes. */
async function lastMoment({ clock, lastRereadMs }: Context): Promise<void> {
  await clock.sleep(lastRereadMs())
}
