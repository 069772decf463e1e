import type { RuleRow } from '../../generated/rules.ts'
import type { EndpointRole, Target } from '../../target/types.ts'
import { planeOfRule } from '../planes/index.ts'
import type { Scenario, UsedEndpoint } from '../rule/registry.ts'
import type { Occupancy, Resources } from './turns.ts'

/**
 * The endpoints and workers that a rule occupies while it runs. A rule that needs the worker keeps one, unless it has endpoints to itself. A rule
 * that has the normal endpoint to itself, under whatever role, keeps all its workers.
 */
export function occupancyOf(
  { alone, exclusive = [], shared = [], wakes = [], workers, creates }: Omit<Scenario, 'kind' | 'id' | 'run'>,
  row: RuleRow,
  target: Target,
): Occupancy {
  const { queue } = target
  const idOf = (role: UsedEndpoint) => (role.includes('.') ? role : (queue?.endpoints[role as EndpointRole] ?? []))
  const idsOf = (roles: readonly UsedEndpoint[]) => [...new Set(roles.flatMap(idOf))]
  const endpoints = { exclusive: idsOf(exclusive), shared: idsOf(shared), wakes: idsOf(wakes) }
  const given = typeof workers === 'function' ? workers(target) : workers
  const usual = row.needs.includes('worker') && Object.values(endpoints).flat().length === 0 ? 1 : 0
  const all = queue !== null && endpoints.exclusive.includes(queue.endpoints.normal) ? queue.workers : 0
  const sharesQuota = planeOfRule(row.id, row.area).pacing.isOfAccount
  return {
    alone,
    sharesQuota,
    ...endpoints,
    workers: Math.max(all, given ?? usual),
    creates: creates ?? Number(row.needs.includes('management.delete')),
  }
}

/** The resources of a target for concurrent rules. */
export function resourcesOf({ budget, management, queue }: Target): Resources {
  return { scenarios: budget.scenarios, workers: queue?.workers ?? 0, creates: management?.workers ?? 0 }
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The wait of a row in ms; 0 if it has none. */
export function waitMsOf({ wait }: Pick<RuleRow, 'wait'>): number {
  const match = /^(\d+)([smhd])$/.exec(wait ?? '')
  return match === null ? 0 : Number(match[1]) * (unitMs[match[2] ?? ''] ?? 0)
}
