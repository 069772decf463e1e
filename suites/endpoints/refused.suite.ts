import { mutate } from '../../harness/common/mutate.ts'
import type { Members } from '../../harness/exchange/read.ts'
import { createdEndpoint, endpointBody, expectNotCreated } from '../shared/endpoints.ts'
import { type Arrangement, refusals } from '../shared/table.ts'

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
        const reply = await api.call('createEndpoint', { body, repeats: true })
        if (reply.status >= 400) names.push(name)
        return reply
      },
      expectNoEffect: () => expectNotCreated(context, names),
    }
  },
}

refusals('endpoints.types', {
  arrange: creation,
  cases: {
    // A list with the name shows it in the list of endpoints.
    name: ({ name, ...rest }: Members) => ({ ...rest, name: Array.isArray(name) ? name : [name] }),
    templateId: { templateId: { id: 'template' } },
    gpuTypeIds: { gpuTypeIds: { first: 'gpu' } },
    workersMin: { workersMin: 'none' },
    workersMax: { workersMax: 'many' },
    idleTimeout: { idleTimeout: 'soon' },
  },
  statuses: ['4XX'],
})

refusals('endpoints.template-unknown', {
  arrange: creation,
  cases: { unknown: (valid, target) => ({ ...valid, templateId: mutate(target.management?.template ?? '') }) },
  statuses: ['4XX'],
})

refusals('endpoints.min-above-max', {
  arrange: creation,
  cases: {
    above: { workersMin: 2, workersMax: 1 },
    'negative minimum': { workersMin: -1 },
    'negative maximum': { workersMax: -1 },
  },
  statuses: ['4XX'],
})
