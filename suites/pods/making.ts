import type { Context } from '../harness/context.ts'
import type { PodShape } from '../harness/fixtures/types.ts'
import { idIn, membersOf, type PodView } from '../harness/read.ts'

/** A RUNNING pod of this rule's own that was created with variables; ends the rule as inconclusive where none comes about. */
export async function runningWith(
  context: Context,
  shape: PodShape,
  variables: Readonly<Record<string, string>>,
): Promise<PodView> {
  const { pods, fixture, settle, inconclusive, lacksCapacity, target } = context
  const env = { ...membersOf(target.pods?.extra.env), ...variables }
  const created = await pods.create(await fixture.body(shape, { env }))
  if (lacksCapacity(created)) inconclusive('the target has no capacity')
  const id = created.status < 300 ? idIn(created.json) : null
  if (id === null) return inconclusive(`a creation with env was answered ${created.status} without an id`)
  const { pod } = await settle(id, (status) => status === 'RUNNING' || status === 'ERROR')
  return pod?.status === 'RUNNING' ? pod : inconclusive('a pod did not become RUNNING in time')
}
