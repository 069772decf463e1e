import type { RuleRow } from '../generated/rules.ts'
import { NotApplicable, Unclaimed } from '../harness/rule/outcome.ts'
import { needs } from './needs.ts'
import type { EndpointRole, KeyName, PodStatus, QueuePlane, Target } from './types.ts'

export type Claim = 'given' | 'unclaimed' | { readonly absent: string }

/** A rule as far as its needs go. */
type Needing = Pick<RuleRow, 'id' | 'needs'> & { readonly area: string }

/** A part of a rule that is not judged because the target does not offer what it needs. */
export interface UnjudgedPart {
  readonly need: string
  readonly verdict: 'unclaimed' | 'not-applicable'
  readonly reason: string
}

/** Whether the target offers what a rule needs: given, declared absent with a reason, or not spoken of. */
export function claimOf(target: Target, need: string): Claim {
  const reason = absenceOf(target.absent, need)
  if (reason !== undefined) return { absent: reason }
  return given(target, need) ? 'given' : 'unclaimed'
}

/** What `absent` says of a need, or of the part of the API that it belongs to. */
export function absenceOf<T>(absent: Readonly<Record<string, T>>, need: string): T | undefined {
  return absent[need] ?? absent[need.split('.')[0] ?? need]
}

/** Throws NotApplicable or Unclaimed, with the line to add, where the target does not offer `need`. */
export function demand(target: Target, need: string): void {
  const error = missing(target, need)
  if (error !== null) throw error
}

/** What `demand` throws; null where the target offers `need`. */
export function missing(target: Target, need: string): NotApplicable | Unclaimed | null {
  const claim = claimOf(target, need)
  if (claim === 'given') return null
  if (claim !== 'unclaimed') return new NotApplicable(`${need} is absent: ${claim.absent}`)
  const line = needs[need]?.line
  const add = typeof line === 'string' ? `; add ${line}, or absent: {${need}: REASON}` : ''
  return new Unclaimed(`${need} is neither given nor declared absent${add}`)
}

/** What is said of the first need of a rule that the target does not offer; null where it offers all. */
export function missingNeed(target: Target, row: Needing): NotApplicable | Unclaimed | null {
  return needsOf(row).reduce<ReturnType<typeof missing>>((found, need) => found ?? missing(target, need), null)
}

/** The parts of a rule that the target does not offer, in the order of its row. */
export function unjudgedParts(target: Target, { parts }: Pick<RuleRow, 'parts'>): UnjudgedPart[] {
  return parts.flatMap((need) => {
    const error = missing(target, need)
    if (error === null) return []
    return [{ need, verdict: error instanceof Unclaimed ? 'unclaimed' : 'not-applicable', reason: error.message }]
  })
}

const statuses: ReadonlySet<PodStatus> = new Set(['PROVISIONING', 'STARTING', 'RUNNING', 'EXITED'])

/** The need that stands for an endpoint of this role. */
export const endpointNeeds: Readonly<Record<Exclude<EndpointRole, 'normal'>, string>> = {
  dedicated: 'endpoint.dedicated',
  second: 'endpoint.second',
  twoWorkers: 'endpoint.two-workers',
  scaleToZero: 'endpoint.scale-to-zero',
  executionTimeout: 'endpoint.execution-timeout',
  noExecutionTimeout: 'endpoint.no-execution-timeout',
}

/** All that a rule needs: the plane that its id speaks of, and what its row says. */
export function needsOf({ id, area, needs: own }: Needing): readonly string[] {
  const part = id.split('.')[1]
  if (area === 'queue' || area === 'webhook' || part === 'queue') return ['queue', ...own]
  if (area === 'lb' || part === 'lb') return ['lb', ...own]
  if (area === 'endpoints' || part === 'management') return ['management', ...own]
  return area === 'deploy' ? ['deploy', ...own] : ['pods', ...own]
}

function given({ pods, queue, receiver, keys, grants }: Target, need: string): boolean {
  if (need.startsWith('key.')) return keys[need.slice(4) as KeyName] !== undefined
  if (need === 'restricted.may') return grants.may.length > 0
  if (need === 'restricted.may-not') return grants.mayNot.length > 0
  if (need === 'pods') return pods !== null
  if (need === 'receiver') return receiver !== null
  if (queueNeeds.has(need) || need.startsWith('endpoint.')) return queue !== null && givenByQueue(queue, need)
  if (pods === null) return false
  switch (need) {
    case 'pods.gpu':
      return pods.gpu !== null
    case 'quota.reachable':
      // The load part settles it by its caps.
      return true
    case 'pods.cpu':
      return pods.cpu !== null
    case 'pods.change':
      return pods.change !== null
    case 'catalog':
      return pods.catalog
    case 'pods.persistent':
      return pods.persistent !== null && pods.gpu !== null
    case 'volume':
      return pods.volume !== null
    case 'volume.second':
      return pods.volumeSecond !== null
    case 'volume.elsewhere':
      return pods.volumeElsewhere !== null
  }
  if (need.startsWith('pod.')) {
    const status = need.slice(4).toUpperCase() as PodStatus
    if (status === 'ERROR') return pods.recipes.ERROR !== undefined
    return statuses.has(status) && (pods.gpu !== null || pods.cpu !== null)
  }
  return false
}

const queueNeeds: ReadonlySet<string> = new Set(['queue', 'worker', 'stream', 'requests', 'openai'])

function givenByQueue(queue: QueuePlane, need: string): boolean {
  switch (need) {
    case 'queue':
      return true
    case 'worker':
      return queue.worker
    case 'stream':
      return queue.stream !== null
    case 'requests':
      return queue.requests
    case 'openai':
      return queue.openai
    case 'endpoint.per-worker-rate':
      return queue.perWorkerRate !== null
  }
  const role = (Object.keys(endpointNeeds) as (keyof typeof endpointNeeds)[]).find((one) => endpointNeeds[one] === need)
  return role !== undefined && queue.endpoints[role] !== null
}
