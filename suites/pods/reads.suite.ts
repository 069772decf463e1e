import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { idIn, membersOf, type PodView, show } from '../../harness/exchange/read.ts'
import { flavorsIn, planeOf } from '../../harness/planes/pods/fixtures/pod-body.ts'
import { NotApplicable } from '../../harness/rule/outcome.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import { entriesOf, listUntil } from '../shared/listing.ts'
import { kindOfValue } from '../shared/readers.ts'
import { laterPodReads } from '../shared/unchanged.ts'
import { inconclusiveIfOtherReason } from './answers.ts'

rule('pods.get.unknown', { varies: anyPod }, async (context) => {
  const { blocked, check, fixture, pods, settle, vary } = context
  const { id } = await fixture.pod('RUNNING')
  const deleted = await pods.delete(id)
  if (!isSuccess(deleted.status)) blocked('pods.delete', `DELETE was answered ${deleted.status}`)
  const rest = await settle(id, (seen) => seen === 'gone' || seen === 'TERMINATED')
  // A platform may go on showing a deleted pod.
  const isShown = rest.status === 'TERMINATED'
  const response = isShown ? await pods.get(vary.unknownId(id), { mustBeRefused: true }) : rest.response
  if (isShown) inconclusiveIfOtherReason(context, { id, origin: 'altered' }, response)
  check('not-found').status(response, 404)
})

rule('pods.query.unknown', { varies: anyPod }, async (context) => {
  const { check, fixture, pods, reading } = context
  const { id } = await fixture.pod('RUNNING')
  const { isShown } = await listUntil(context, id)
  const query = { plumbline: 'unknown' }
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

rule('pods.catalog.cpus', async (context) => {
  const { check, pods } = context
  const response = await pods.cpus()
  check('answered').status(response, 200)
  const flavors = flavorsIn(planeOf(context.target), response)
  check('flavors').that(flavors !== null && flavors.length > 0, 'a list of flavors', show(response.json), response)
  for (const flavor of flavors ?? [])
    check('id').that(idIn(flavor) !== null, 'an id in each flavor', kindOfValue(membersOf(flavor)?.id), response)
})

rule('pods.shape.cpu-flavor-listed', { varies: ['mount', 'fields'] }, async (context) => {
  const { blocked, check, fixture, pods } = context
  const pod = await fixture.pod('RUNNING', { kind: 'cpu' })
  const response = await pods.cpus()
  const flavors = flavorsIn(planeOf(context.target), response)
  if (flavors === null) return blocked('pods.catalog.cpus', `the catalog was answered with status ${response.status}`)
  const isListed = flavors.some((flavor) => idIn(flavor) === membersOf(pod.value.cpu)?.id)
  check('listed').that(isListed, 'a flavor of the catalog', 'another flavor', pod)
})

rule('pods.shape.gpu-count-default', { varies: ['mount', 'fields'] }, async (context) => {
  const { check, fixture } = context
  const { count: _, ...gpu } = planeOf(context.target).gpu ?? {}
  const pod = await fixture.pod('RUNNING', { kind: 'gpu', more: { gpu } })
  const count = membersOf(pod.value.gpu)?.count ?? 1
  check('one').that(count === 1, 'count 1, or none', `count ${show(count)}`, pod)
})

rule('pods.shape.template-null', { varies: ['kind', 'mount', 'fields'] }, async (context) => {
  const { check, fixture, target } = context
  if (membersOf(planeOf(target).extra)?.template !== undefined)
    throw new NotApplicable('the target file has pods created from a template')
  const pod = await fixture.pod('RUNNING')
  check('null').that(pod.value.template === null, 'template null', `template ${kindOfValue(pod.value.template)}`, pod)
})

rule('pods.shape.template', { varies: ['kind', 'mount', 'fields', 'look'] }, async (context) => {
  const { check, fixture, pods, target } = context
  const created = planeOf(target).fromTemplate
  const { id } = await fixture.fresh({ more: created?.body ?? {} })
  const expectTemplate = (response: ApiResponse) => {
    const { template } = check('id').pod(response).value
    check('id').that(template === created?.id, 'the id of the template', `template ${kindOfValue(template)}`, response)
  }
  expectTemplate(await pods.get(id))
  for await (const later of laterPodReads(context, id)) expectTemplate(later)
})

rule('pods.global-networking.address', { varies: ['kind', 'mount'] }, async (context) => {
  const { check, fixture, inconclusive, settle, target } = context
  const { id } = await fixture.fresh({ more: planeOf(target).networked ?? {} })
  const networkOf = (shown: PodView | null) => membersOf(shown?.value.globalNetworking) ?? {}
  const { pod, settled } = await settle(id, (_, seen) => networkOf(seen).enabled === true)
  if (!settled) inconclusive('a pod created with pods.networked shows no globalNetworking.enabled')
  for (const name of ['ip', 'internalDns']) {
    const value = networkOf(pod)[name]
    const isThere = typeof value === 'string' && value !== ''
    check(name).that(isThere, `${name}, because enabled is true`, `${name} ${kindOfValue(value)}`, pod)
  }
})
