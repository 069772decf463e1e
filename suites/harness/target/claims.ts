import { NotApplicable, Unclaimed } from '../outcome.ts'
import { needs } from './needs.ts'
import type { KeyName, PodStatus, Target } from './types.ts'

export type Claim = 'given' | 'unclaimed' | { readonly absent: string }

/** Whether the target offers what a rule needs: given, declared absent with a reason, or not spoken of. */
export function claimOf(target: Target, need: string): Claim {
  const reason = target.absent[need] ?? target.absent[need.split('.')[0] ?? need]
  if (reason !== undefined) return { absent: reason }
  return given(target, need) ? 'given' : 'unclaimed'
}

/** Throws NotApplicable or Unclaimed, with the line to add, where the target does not offer `need`. */
export function demand(target: Target, need: string): void {
  const claim = claimOf(target, need)
  if (claim === 'unclaimed') {
    const line = needs[need]?.line
    const add = typeof line === 'string' ? `; add ${line}, or absent: {${need}: REASON}` : ''
    throw new Unclaimed(`${need} is neither given nor declared absent${add}`)
  }
  if (claim !== 'given') throw new NotApplicable(`${need} is absent: ${claim.absent}`)
}

const statuses: ReadonlySet<PodStatus> = new Set(['PROVISIONING', 'STARTING', 'RUNNING', 'EXITED'])

function given({ pods, keys }: Target, need: string): boolean {
  if (need.startsWith('key.')) return keys[need.slice(4) as KeyName] !== undefined
  if (need === 'pods') return pods !== null
  if (pods === null) return false
  switch (need) {
    case 'pods.gpu':
      return pods.gpu !== null
    case 'pods.cpu':
    case 'catalog':
      return pods.cpu !== null
    case 'pods.persistent':
      return pods.persistent !== null && pods.gpu !== null
    case 'volume':
      return pods.volume !== null
    case 'volume.second':
      return pods.volumeSecond !== null
  }
  if (need.startsWith('pod.')) {
    const status = need.slice(4).toUpperCase() as PodStatus
    if (status === 'ERROR') return pods.recipes.ERROR !== undefined
    return statuses.has(status) && (pods.gpu !== null || pods.cpu !== null)
  }
  return false
}
