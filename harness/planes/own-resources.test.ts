import { expect, test } from 'vitest'
import type { ApiResponse } from '../client/api-response.ts'
import type { Call } from '../client/caller.ts'
import type { ResourceLine } from '../record/resources.ts'
import { createOwnResources } from './own-resources.ts'
import { pods } from './pods/plane.ts'

type Step = readonly [operation: 'createPod' | 'otherPodRoute' | 'deletePod' | 'listPods', status: number, id?: string]

const created = (id: string): Step => ['createPod', 201, id]
const unanswered: Step = ['createPod', 502]
const withoutId: Step = ['createPod', 201]
const listed = (id: string): Step => ['listPods', 200, id]
const removed = (id: string): Step => ['deletePod', 204, id]

/** Lines of the ledger after requests with the same name, each `state id`. */
function ledgerOf(steps: readonly Step[]): string[] {
  const lines: string[] = []
  const tell = (line: ResourceLine) => {
    if (line.kind === 'pod') lines.push(`${line.state} ${line.id ?? '-'}`)
  }
  const { note } = createOwnResources(pods, { channel: { now: () => 0 }, resources: tell })
  for (const [operation, status, id = ''] of steps) {
    const body = { name: 'plumbline-a' }
    const other = { method: 'POST', path: '/v2/pods/p-0/plumbline' }
    const creations: Partial<Record<Step[0], Call>> = { createPod: { body }, otherPodRoute: { body, other } }
    const call = creations[operation] ?? { ids: { id } }
    const json = operation === 'listPods' ? [{ id, name: 'plumbline-a' }] : id === '' ? undefined : { id }
    note(operation, call, 'full')({ status, json } as ApiResponse)
  }
  return lines
}

test.each<{ what: string; steps: readonly Step[]; lines: readonly string[] }>([
  {
    what: 'created and removed',
    steps: [created('p-1'), removed('p-1')],
    lines: ['requested -', 'created p-1', 'removed p-1'],
  },
  {
    what: 'created by a request that is not an operation',
    steps: [['otherPodRoute', 201, 'p-1'], removed('p-1')],
    lines: ['requested -', 'created p-1', 'removed p-1'],
  },
  {
    what: 'created without an id, which the list shows',
    steps: [withoutId, listed('p-1'), removed('p-1')],
    lines: ['requested -', 'created p-1', 'removed p-1'],
  },
  {
    what: 'sent again after a failure, so that its name is searched for once the known pod is removed',
    steps: [unanswered, created('p-2'), removed('p-2')],
    lines: ['requested -', 'requested -', 'created p-2', 'removed p-2', 'requested -'],
  },
])('a pod that is $what', ({ steps, lines }) => expect(ledgerOf(steps)).toEqual(lines))
