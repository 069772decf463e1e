import { type OperationFacts, type OperationId, operations } from '../../generated/operations.ts'
import type { RuleId } from '../../generated/rules.ts'
import type { Values } from '../../harness/variation/dimensions.ts'
import type { Expected } from '../../suites/shared/table.ts'
import type { Defect, Variant } from '../types.ts'

/** One way in which a case goes wrong: a word for its id, what it does, and the observation in its clause. */
export interface Fault extends Pick<Variant, 'change'> {
  readonly id: string
  readonly says: string
  readonly clause: string
  readonly observed: string
}

/** A target that offers everything: with it a table has all its branches. */
export const allBranches = { part: () => true }

/** The defects of a case, named after its rule; `variation`: the values that show them. */
export function defectsOf(rule: RuleId, of: string, faults: readonly Fault[], variation: Values = {}): Defect[] {
  return faults.map(({ id, says, ...more }) => ({
    ...more,
    ...(Object.keys(variation).length === 0 ? {} : { variation }),
    id: defectId(rule, `${of} ${id}`),
    rule,
    says: `The case "${of}" of ${rule} ${says}.`,
  }))
}

/** A status that a case must not be refused with; null if every 4xx is permitted. */
export function otherStatus(statuses: readonly Expected[]): number | null {
  if (statuses.includes('4XX')) return null
  return [400, 422, 409].find((status) => !statuses.includes(status)) ?? null
}

/** The first status of success of an operation. */
export function successOf(operation: OperationId): number {
  const { success }: OperationFacts = operations[operation]
  return success[0] ?? 200
}

/** The id of a derived defect: that of its rule, and words for what goes wrong. */
export function defectId(rule: RuleId, words: string): string {
  return `${rule} ${words}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}
