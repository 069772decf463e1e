import type { Validator } from '../../../generated/validators.ts'
import { membersOf } from '../../harness/read.ts'
import { type Allowed, refused } from './types.ts'

/**
 * What a creation may be answered by its body. Its path and payload are not shown, so what the fields of a pod and the
 * headings Mounts, GpuConfig and CpuConfig say is all there is; what is on offer nobody but the platform knows.
 */
export function ofCreation(value: unknown, isValid: Validator): Allowed[] {
  const members = membersOf(value)
  if (members === null) return [refused([400, 422], 'the body is no object')]
  const { gpu, cpu, mounts } = members
  const { persistent, network } = membersOf(mounts) ?? {}
  const list = Array.isArray(network) ? network : null
  const allowed: Allowed[] = []
  if (!isValid(value)) {
    const isTwo = (isValid.errors ?? []).every(({ keyword }) => keyword === 'maxItems' || keyword === 'pattern')
    allowed.push(refused(isTwo ? [400, 422] : [422], 'a field is not as stated', 'Pod'))
  }
  if (list?.length === 0) allowed.push(refused([400], 'the list of network mounts is empty'))
  if (persistent !== undefined && network !== undefined)
    allowed.push(refused([400], 'both kinds of mount are given', 'Mounts'))
  if (persistent !== undefined && cpu !== undefined) {
    allowed.push(refused([400, 422], 'a CPU pod has no persistent mount', 'Mounts'))
  }
  if (gpu !== undefined && cpu !== undefined) allowed.push(refused('4xx', 'a pod has gpu or cpu, never both', 'Pod'))
  const isFree = gpu === undefined && cpu === undefined
  if (isFree) allowed.push(refused('4xx', 'what neither gpu nor cpu means is not shown', 'Other operations'))
  if (allowed.length === 0 || (isFree && allowed.length === 1)) {
    allowed.push({
      answers: '2xx',
      reason: 'the body is valid',
      source: 'Other operations',
      after: { kind: 'made' },
    })
    if (!isFree) allowed.push(refused('4xx', 'what is on offer is not known', 'Other operations'))
  }
  return allowed
}
