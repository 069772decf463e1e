import type { RuleId } from '../../generated/rules.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import type { PodShape } from '../../harness/fixtures/types.ts'
import type { PartWrappers } from '../../reference/parts.ts'
import type { Parts } from '../../reference/service.ts'
import { type Expected, isWrongBody, type Wrong } from '../../suites/shared/table.ts'
import type { Target } from '../../target/types.ts'
import { referenceTarget } from '../instance.ts'
import type { Defect, Variant } from '../types.ts'

/** Milliseconds until something that was refused is carried out all the same. */
export const laterMs = 1_000

/** How one case goes wrong: what is added to its id, a sentence, and the observation in its clause. */
export interface Fault extends Pick<Variant, 'change' | 'wrap'> {
  readonly id: string
  readonly says: string
  readonly clause: string
  readonly observed: string
}

/** Whether the body of a request is the one that goes wrong. */
export type Meant = (body: unknown) => boolean

/** The defects of a case, named after its rule. */
export function defectsOf(rule: RuleId, of: string, faults: readonly Fault[]): Defect[] {
  return faults.map(({ id, says, ...more }) => ({
    ...more,
    id: slug(`${rule} ${of} ${id}`),
    rule,
    says: `The case "${of}" of ${rule} ${says}.`,
  }))
}

/** Statuses that a case may be refused with and must not be; none where any refusal will do. */
export function otherStatus(statuses: readonly Expected[]): number | null {
  if (statuses.includes('4xx')) return null
  return [400, 422, 409].find((status) => !statuses.includes(status)) ?? null
}

type CreatePod = Parts['createPod']

/** Creations with these bodies do something else. */
export function creating(
  isMeant: Meant,
  act: (create: () => ReturnType<CreatePod>, service: Parameters<CreatePod>[2]) => ReturnType<CreatePod>,
): PartWrappers {
  return {
    createPod: (original) => (body, caller, service) =>
      isMeant(body) ? act(() => original(body, caller, service), service) : original(body, caller, service),
  }
}

let target: Target | undefined

/** Whether a body is that of a case. */
export function isCase(wrong: Wrong, body: unknown): boolean {
  const members = membersOf(body)
  target ??= referenceTarget('https://reference.test', 'control')
  return members !== null && isWrongBody(wrong, members, target)
}

/** Whether a body is of a branch; where there is one branch alone, every body is. */
export function isBranch({ kind, mount }: PodShape, branches: readonly PodShape[], body: unknown): boolean {
  if (branches.length === 1) return true
  const members = membersOf(body) ?? {}
  const mounts = membersOf(members.mounts) ?? {}
  return (kind === undefined || kind in members) && (mount === undefined || mount === 'none' || mount in mounts)
}

/** A branch in a few words. */
export function branchName({ kind, mount }: PodShape): string {
  return [kind, mount].filter((one) => one !== undefined).join(' ')
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}
