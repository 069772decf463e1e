import type { ApiResponse } from '../../harness/client/api-response.ts'
import { mutate } from '../../harness/common/mutate.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { idOrNumberIn, type Members, membersOf, show } from '../../harness/exchange/read.ts'
import type { Context } from '../../harness/rule/context.ts'
import { everyExchange, rule } from '../../harness/rule/registry.ts'
import { inChunks, needsLength } from '../shared/chunks.ts'
import { blockedIfPlainDiffers, endOf, expectNotShown, expectOwnOutput, submitTo } from '../shared/endpoint-jobs.ts'
import {
  create,
  createdEndpoint,
  endpointBody,
  expectNotCreated,
  idleTimeoutOf,
  inconclusiveIfQuotaIsUsed,
  isQuotaUsed,
  retryWhileQuotaIsUsed,
  sectionOf,
  speaksOfQuota,
  workersOf,
} from '../shared/endpoints.ts'
import { showsAsSent } from '../shared/listing.ts'
import { anId, kindOfValue } from '../shared/readers.ts'
import { jsonFlaws } from '../shared/shapes.ts'
import { type Arrangement, anyOf, likeOther, refusals } from '../shared/table.ts'

rule('endpoints.create', { creates: 2 }, async (context) => {
  const { check } = context
  // The second creation of an account is another case than its first.
  for (const make of [createPlain, createWithEqualNumbers]) {
    const response = await make(context)
    inconclusiveIfQuotaIsUsed(context, response)
    check('accepted').success(response)
  }
})

function createPlain(context: Context): Promise<ApiResponse> {
  return create(context, endpointBody(context))
}

/** An endpoint with as many workers at least as at most; without any at least if the account gets no worker at all. */
async function createWithEqualNumbers(context: Context): Promise<ApiResponse> {
  const equal = await create(context, endpointBody(context, { workersMin: 1 }))
  if (isSuccess(equal.status) || speaksOfQuota(equal)) return equal
  const other = await create(context, endpointBody(context, { workersMin: 1, workersMax: 2 }))
  return isSuccess(other.status) ? equal : createPlain(context)
}

rule('endpoints.echoes', { creates: 2 }, async (context) => {
  // Values that no platform has as a default.
  const unusual = {
    gpuTypeIds: sectionOf(context).gpus.toReversed(),
    workersMax: workersOf(context, 2),
    idleTimeout: idleTimeoutOf(context, 7),
  }
  const { body, response } = await createdEndpoint(context, unusual)
  const shown = context.check('object').object(response)
  const hasId = idOrNumberIn(response.json) !== null
  context.check('id').that(hasId, `a number, or ${anId}`, kindOfValue(shown.id), response)
  for (const [name, sent] of Object.entries(body)) {
    const [expected, observed] =
      name === 'name' && shown.name !== undefined ? ['the name', 'another name'] : [show(sent), show(shown[name])]
    context.check(name).that(showsAsSent(shown, name, sent), expected, observed, response)
  }
  // The endpoints below need its workers: other rules may have the rest of the quota.
  await removeShown(context, response)
  for (const [kind, more] of unusualNames) await expectName(context, kind, more)
  await expectInChunks(context)
})

/** Texts in names that a platform may refuse, but not change. */
const unusualNames = [
  ['long', '-long'.repeat(40)],
  ['of other letters', ' grüße €𝄞'],
  ['with white space', ' two  blanks'],
  ['with markup', ' <b>&amp;"1"</b>'],
] as const

/** A creation shows a name with `more` at its end as sent, unless that is refused. */
async function expectName(context: Context, kind: string, more: string): Promise<void> {
  const { check, nextName, notJudged } = context
  const name = nextName() + more
  const response = await create(context, endpointBody(context, { name }))
  if (!isSuccess(response.status)) return notJudged(`a name ${kind}`, `the creation has status ${response.status}`)
  const shown = membersOf(response.json) ?? {}
  check('name').that(showsAsSent(shown, 'name', name), `the name ${kind}`, 'another name', response)
  await removeShown(context, response)
}

/** A creation whose body is sent in chunks is answered as any other. */
async function expectInChunks(context: Context): Promise<void> {
  const { check, notJudged, on } = context
  const body = endpointBody(context)
  const send = () => on('management').call('createEndpoint', { body, ...inChunks })
  const response = await retryWhileQuotaIsUsed(context, send, isQuotaUsed)
  if (needsLength(response)) return notJudged('chunked', 'a body without its length is refused')
  // Workers of the endpoints before it may count for some seconds.
  if (isQuotaUsed(response)) return notJudged('chunked', 'no worker is left for another endpoint')
  check('chunked').success(response)
  const isShown = showsAsSent(membersOf(response.json) ?? {}, 'name', body.name)
  check('chunked').that(isShown, 'the name', 'another name', response)
  await removeShown(context, response)
}

async function removeShown({ on }: Context, { json }: ApiResponse): Promise<void> {
  const id = idOrNumberIn(json)
  if (id !== null) await on('management').call('deleteEndpoint', { ids: { id }, repeats: true })
}

everyExchange('endpoints.json', jsonFlaws)

rule('endpoints.address', { varies: ['upkeep'] }, async (context) => {
  const { check, part, queue, queueAs } = context
  const { id } = await createdEndpoint(context)
  const job = await submitTo(context, id, { steps: [{ output: 1 }] })
  const { response, status } = await endOf(context, job)
  // Results may be stored apart from the queue; endpoints.unique looks at jobs that wait.
  await expectNotShown(context, 'own', queue, job.id)
  if (status !== 'COMPLETED') await blockedIfPlainDiffers(context, 1)
  check('serves').that(status === 'COMPLETED', 'COMPLETED', status, response)
  if (part('key.stranger')) await expectNotShown(context, 'hidden', queueAs('stranger').at(id), job.id)
})

rule('endpoints.from-template', { varies: ['upkeep'] }, async (context) => {
  const { id } = await createdEndpoint(context)
  const output = { sum: Math.floor(context.random() * 2 ** 40) }
  const job = await submitTo(context, id, { input: { other: 1 }, steps: [{ output }] })
  await expectOwnOutput(context, 'worker', job, output, () => [
    'the output of the worker in the template',
    'another output',
  ])
})

rule('endpoints.unique', { creates: 2, varies: ['upkeep'] }, async (context) => {
  const { check } = context
  const one = await createdEndpoint(context)
  const two = await createdEndpoint(context)
  check('ids').that(one.id !== two.id, 'two ids', 'the same id twice', two.response)
  const jobs = [
    await submitTo(context, one.id, { steps: [{ output: 'one' }] }),
    await submitTo(context, two.id, { steps: [{ output: 'two' }] }),
  ] as const
  await expectNotShown(context, 'jobs', jobs[0].queue, jobs[1].id)
  await expectNotShown(context, 'jobs', jobs[1].queue, jobs[0].id)
  for (const [at, job] of jobs.entries()) {
    const output = at === 0 ? 'one' : 'two'
    await expectOwnOutput(context, 'serves', job, output, (_, shown) => [
      `output ${show(output)}`,
      `output ${show(shown)}`,
    ])
  }
})

/** Creations of endpoints, after one that succeeds. */
const creation: Arrangement<null> = {
  operation: () => 'createEndpoint',
  each: () => [null],
  varies: [],
  async begin(context) {
    const api = context.on('management')
    const { id } = await createdEndpoint(context)
    await api.call('deleteEndpoint', { ids: { id }, repeats: true })
    const names: string[] = []
    return {
      valid: async () => endpointBody(context),
      async send(body, { name }) {
        const response = await api.call('createEndpoint', { body, mustBeRefused: true })
        if (response.status >= 400) names.push(name)
        return response
      },
      expectNoEffect: () => expectNotCreated(context, names),
    }
  },
}

refusals('endpoints.types', creation, ['4XX'], {
  // A list with the name shows it in the list of endpoints.
  name: ({ name, ...rest }: Members) => ({ ...rest, name: Array.isArray(name) ? name : [name] }),
  templateId: { templateId: { id: 'template' } },
  gpuTypeIds: { gpuTypeIds: { first: 'gpu' } },
  'gpuTypeIds text': ({ gpuTypeIds, ...rest }: Members) => {
    const first = Array.isArray(gpuTypeIds) ? gpuTypeIds[0] : gpuTypeIds
    return { ...rest, gpuTypeIds: typeof first === 'string' ? first : 'gpu' }
  },
  workersMin: { workersMin: 'none' },
  'workersMin digits': { workersMin: '0' },
  workersMax: { workersMax: 'many' },
  'workersMax fraction': { workersMax: 1.5 },
  idleTimeout: { idleTimeout: 'soon' },
  'idleTimeout boolean': { idleTimeout: true },
  'another type': anyOf({
    'list for the template': { templateId: ['template'] },
    'number for the template': { templateId: 7 },
    'true for workersMin': { workersMin: true },
    'list for workersMax': { workersMax: [1] },
    'digits for workersMax': { workersMax: '1' },
    'fraction for workersMin': { workersMin: 0.5 },
  }),
})

refusals('endpoints.template-unknown', creation, ['4XX'], {
  unknown: (valid, target) => ({ ...valid, templateId: mutate(target.management?.template ?? '') }),
  'like a template': anyOf(
    likeOther((change) => (valid, { management }) => ({ ...valid, templateId: change(management?.template ?? '') })),
  ),
})

refusals('endpoints.min-above-max', creation, ['4XX'], {
  above: { workersMin: 2, workersMax: 1 },
  'negative minimum': { workersMin: -1 },
  'negative maximum': { workersMax: -1 },
})
