import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { idOrNumberIn, type Members, membersOf, type PodView } from '../../harness/exchange/read.ts'
import { inconclusiveIfNoCapacity } from '../../harness/planes/pods/access.ts'
import { shows } from '../../harness/planes/pods/fixtures/change.ts'
import { retryOnNoCapacity } from '../../harness/planes/pods/fixtures/creating.ts'
import { acceptedId, submitted } from '../../harness/planes/queue/fixtures/jobs.ts'
import type { PlannedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { endIn } from '../../harness/planes/queue/job-status.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import { created, expectNotCreated as expectNoPod, isShown } from '../pods/creation.ts'
import { changes } from '../shared/changing.ts'
import {
  createdEndpoint,
  endpointBody,
  expectNotCreated as expectNoEndpoint,
  get,
  idleTimeoutOf,
  inconclusiveIfQuotaIsUsed,
  isQuotaUsed,
  namedId,
  retryWhileQuotaIsUsed,
  update,
} from '../shared/endpoints.ts'
import { oneWorker } from '../shared/full-endpoint.ts'
import { expectEnd, expectOutput } from '../shared/job-ends.ts'
import { executeLaterJob } from '../shared/later-job.ts'
import { showsAsSent } from '../shared/listing.ts'
import { jsonFault, problemFault } from '../shared/odd-requests.ts'
import { shown } from '../shared/patching.ts'
import { poll } from '../shared/poll.ts'
import { expectStatus, type Refused } from '../shared/table.ts'
import { expectUnchanged, rereadMoments } from '../shared/unchanged.ts'

/** Content types under which clients send JSON by mistake. */
const otherTypes = {
  text: 'text/plain',
  form: 'application/x-www-form-urlencoded',
  bytes: 'application/octet-stream',
  xml: 'application/xml',
  parts: 'multipart/form-data',
}

/** Members of a creation that reads show. */
const podMembers = ['name', 'image', 'gpu', 'cpu']

rule('pods.create.media-type', { varies: ['kind', 'sample'] }, async (context) => {
  const { check, clock, fixture, lacksCapacity, nextName, pods } = context
  const type = drawn(context)
  const twin = await created(context, {})
  const refused: Refused[] = []
  const body: Members & { readonly name: string } = { ...twin.valid, name: nextName() }
  const response = await retryOnNoCapacity(lacksCapacity, clock, () => pods.create(body, type))
  inconclusiveIfNoCapacity(context, response)
  if (isRead(context, 'creation', response, [400, 415, 422], problemFault)) {
    const id = await fixture.createdId(response)
    const othersIn = (pod: PodView) => podMembers.filter((one) => one in body && !isShown(one, body[one], pod))
    const read = id === null ? null : await shown(context, id, (pod) => othersIn(pod).length === 0)
    const others = read?.pod ? othersIn(read.pod) : null
    const observed = others === null ? 'no pod' : `another ${others.join(', ')}`
    check('read-as-json').that(others?.length === 0, 'a pod as the JSON says', observed, response)
  } else {
    refused.push({ name: body.name, what: 'another content type' })
  }

  const keyless = { ...twin.valid, name: nextName() }
  const rejected = await pods.create(keyless, { ...type, authorization: null, mustBeRefused: true })
  expectStatus(check('key'), rejected, ['4XX'])
  refused.push({ name: keyless.name, what: 'another content type without a key' })
  await expectNoPod(context, twin.id, refused)
})

rule('pods.patch.media-type', { varies: [...anyPod, 'sample'] }, async (context) => {
  const { check, fixture, pods } = context
  const type = drawn(context)
  const { pod, another } = await changes(context, await fixture.pod('EXITED'))
  const change = another('c')
  const response = await pods.patch(pod.id, change, type)
  if (!isRead(context, 'patch', response, [400, 415, 422], problemFault)) return expectUnchanged(context, pod)
  const { settled } = await shown(context, pod.id, (seen) => shows(seen, change))
  const field = Object.keys(change).join(', ')
  check('read-as-json').that(settled, `the ${field} of the JSON`, `another ${field}`, response)
})

rule('queue.body.media-type', { varies: ['options', 'sample'], workers: oneWorker }, async (context) => {
  const { check, ended, fixture, queue } = context
  const type = drawn(context)
  const rejected: PlannedJob[] = []
  for (const operation of ['run', 'runsync'] as const) {
    const job = fixture.job({ steps: [{ output: operation }] })
    const response = await queue[operation](job.body, type)
    if (isRead(context, operation, response, [400, 415], jsonFault)) {
      const own = submitted(job, await idIfRead(context, operation, job, response), response)
      const first = endIn(response) ?? (await ended(own))
      const end = await expectEnd(context, 'read-as-json', own, first, 'COMPLETED')
      await expectOutput(context, 'read-as-json', operation, end.response)
    } else {
      rejected.push(job)
    }
    const other = fixture.job({ steps: [{ output: operation }] })
    const keyless = await queue[operation](other.body, { ...type, authorization: null, mustBeRefused: true })
    expectStatus(check('key'), keyless, ['4XX'])
    rejected.push(other)
  }
  const later = await executeLaterJob(context)
  for (const { beacon } of rejected) {
    const isExecuted = beacon.executions().length > 0
    check('not-executed').that(!isExecuted, 'no execution of what was refused', 'an execution', later)
  }
  for (const operation of ['run', 'runsync'] as const) {
    const { body } = fixture.job({ steps: [{ output: operation }] })
    const response = await queue[operation](body, { contentType: 'application/json; charset=utf-8' })
    check('charset').success(response)
  }
})

/** The id in the response to an accepted submission. The rule fails if there is none, while the same as JSON has one. */
async function idIfRead(
  context: Context,
  operation: 'run' | 'runsync',
  job: PlannedJob,
  response: ApiResponse,
): Promise<string> {
  const id = idOrNumberIn(response.json)
  if (id !== null) return id
  const usual = await context.queue[operation](context.fixture.job({ steps: [{ output: operation }] }).body)
  context.check('read-as-json').that(idOrNumberIn(usual.json) === null, 'an id', 'no id', response)
  return acceptedId(context, job.body, response)
}

rule('endpoints.create-media-type', { varies: ['sample', 'look'], creates: 3 }, async (context) => {
  const { check, on } = context
  const type = drawn(context)
  await createdEndpoint(context)
  const names: string[] = []
  const body = endpointBody(context, { idleTimeout: idleTimeoutOf(context, 7) })
  const send = () => on('management').call('createEndpoint', { body, ...type })
  const response = await retryWhileQuotaIsUsed(context, send, isQuotaUsed)
  inconclusiveIfQuotaIsUsed(context, response)
  if (isRead(context, 'creation', response, [400, 415, 422], jsonFault)) {
    // Another endpoint was created and found in the same way before.
    const id = idOrNumberIn(response.json) ?? (await namedId(context, String(body.name)))
    check('read-as-json').that(id !== null, 'an endpoint as the JSON says', 'no endpoint', response)
    await expectShown(context, id ?? '', body, response)
  } else {
    names.push(String(body.name))
  }

  const keyless = endpointBody(context)
  const withoutKey = { ...type, authorization: null, mustBeRefused: true }
  const rejected = await on('management').call('createEndpoint', { body: keyless, ...withoutKey })
  expectStatus(check('key'), rejected, ['4XX'])
  await expectNoEndpoint(context, [...names, String(keyless.name)])
})

rule('endpoints.update-media-type', { varies: ['sample', 'look'] }, async (context) => {
  const { blocked, check, inconclusive, on } = context
  const type = drawn(context)
  const { id } = await createdEndpoint(context)
  const usual = { idleTimeout: idleTimeoutOf(context, 5) }
  const twin = await update(context, id, usual)
  if (!isSuccess(twin.status)) inconclusive(`an update of the idleTimeout was answered ${twin.status}`)
  const isCarriedOut = (await othersShown(context, id, usual)).length === 0
  if (!isCarriedOut) blocked('endpoints.update-keeps', 'an update of the idleTimeout was answered and not carried out')

  const change = { idleTimeout: idleTimeoutOf(context, 3) }
  const response = await on('management').call('updateEndpoint', { ids: { id }, body: change, repeats: true, ...type })
  if (isRead(context, 'update', response, [400, 415, 422], jsonFault)) return expectShown(context, id, change, response)
  const look = async () => {
    const after = await get(context, id)
    check('unchanged').status(after, 200)
    const others = othersIn(membersOf(after.json), usual)
    check('unchanged').that(others.length === 0, 'the idleTimeout as before', 'another idleTimeout', after)
  }
  await look()
  for await (const _ of rereadMoments(context)) await look()
})

/** Expects a read to show the endpoint that an accepted body describes, if it shows any of its members. */
async function expectShown(context: Context, id: string, body: Members, answer: ApiResponse): Promise<void> {
  const others = await othersShown(context, id, body)
  if (await isHidden(context, id, body)) return context.notJudged('read-as-json', 'reads show no member of the body')
  const observed = `another ${others.join(', ')}`
  context.check('read-as-json').that(others.length === 0, 'an endpoint as the JSON says', observed, answer)
}

/** True if reads of an endpoint show no member of a body, so that nobody sees what became of it. */
async function isHidden(context: Context, id: string, body: Members): Promise<boolean> {
  const shown = membersOf((await get(context, id)).json)
  return shown !== null && Object.keys(body).every((name) => shown[name] === undefined)
}

/** Members that reads show with another value than a body, after the tolerance `visible` at the latest. */
function othersShown(context: Context, id: string, body: Members): Promise<readonly string[]> {
  const look = async () => othersIn(membersOf((await get(context, id)).json), body)
  return poll(context, context.target.tolerances.visibleMs, look, (seen) => seen.length === 0)
}

/** Members that an endpoint shows with another value than a body. A platform may add something to a name. */
function othersIn(shown: Members | null, body: Members): readonly string[] {
  if (shown === null) return ['endpoint']
  return Object.entries(body)
    .filter(([name, value]) => shown[name] !== undefined && !showsAsSent(shown, name, value))
    .map(([name]) => name)
}

interface Typed {
  readonly contentType: string
}

function drawn({ inconclusive, vary }: Context): Typed {
  const [, contentType] = vary.sample('type', Object.entries(otherTypes), ([name]) => name) ?? []
  return contentType === undefined ? inconclusive('no content type was drawn') : { contentType }
}

/** Returns true if a request was accepted. Otherwise expects a refusal with one of the statuses, in the form of its plane. */
function isRead(
  { check, reading }: Context,
  clause: string,
  response: ApiResponse,
  refusals: readonly number[],
  faultOf: (response: ApiResponse) => string | null,
): boolean {
  expectStatus(check(clause), response, ['2XX', ...refusals])
  reading(clause, isSuccess(response.status) ? 'accepted' : String(response.status))
  if (isSuccess(response.status)) return true
  const fault = faultOf(response)
  check('form').that(fault === null, 'an error in the form of the API', fault ?? '', response)
  return false
}
