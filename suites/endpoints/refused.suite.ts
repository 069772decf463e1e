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

refusals('endpoints.types', creation, ['4XX'], {
  // A list with the name shows it in the list of endpoints.
  name: ({ name, ...rest }: Members) => ({ ...rest, name: Array.isArray(name) ? name : [name] }),
  templateId: { templateId: { id: 'template' } },
  gpuTypeIds: { gpuTypeIds: { first: 'gpu' } },
  workersMin: { workersMin: 'none' },
  workersMax: { workersMax: 'many' },
  idleTimeout: { idleTimeout: 'soon' },
})

refusals('endpoints.template-unknown', creation, ['4XX'], {
  unknown: (valid, target) => ({ ...valid, templateId: mutate(target.management?.template ?? '') }),
})

refusals('endpoints.min-above-max', creation, ['4XX'], {
  above: { workersMin: 2, workersMax: 1 },
  'negative minimum': { workersMin: -1 },
  'negative maximum': { workersMax: -1 },
})
