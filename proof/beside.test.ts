import { expect, test } from 'vitest'
import { arrange } from './beside.ts'
import { everything } from './jobs.ts'

const { defects } = everything()

test.each([
  ['of different planes', 'exited-stop-accepted crash-unanswered', {}],
  ['of one table', 'ttl-default-12-h webhook-retried-once', {}],
  ['of one table, the other way round', 'webhook-retried-once ttl-default-12-h', {}],
  [
    'of which the second needs the first outside',
    'runsync-out runsync-empty-list-dropped',
    { order: ['runsync-empty-list-dropped', 'runsync-out'], hidden: ['runsync-empty-list-dropped'] },
  ],
  [
    'that change the same number',
    'ttl-default-12-h ttl-default-48-h',
    { rivals: ['ttl-default-12-h', 'ttl-default-48-h'] },
  ],
  [
    'of which the rule finds only the first, in either order',
    'queue-body-not-json-list-runjobsync-500 queue-body-not-json-trailing-comma-runjob-500',
    { hidden: ['queue-body-not-json-list-runjobsync-500'] },
  ],
])('two defects %s', async (_what, text, { order, hidden = [], rivals = [] }: Partial<Record<string, string[]>>) => {
  const ids = text.split(' ')
  const arranged = await arrange(ids.flatMap((id) => defects.filter((defect) => defect.id === id)))
  const idsOf = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id)
  expect({
    order: idsOf(arranged.order),
    hidden: idsOf(arranged.hidden),
    rivals: idsOf(arranged.rivals),
  }).toEqual({ order: order ?? ids, hidden, rivals })
})
