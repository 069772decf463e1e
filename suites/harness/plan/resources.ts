import type { RuleRow } from '../../../generated/rules.ts'
import type { Scenario } from '../registry.ts'
import type { Claim } from '../run/turns.ts'
import type { Target } from '../target/types.ts'

/** What a rule takes while it runs: a rule that needs the worker keeps one, unless it has endpoints to itself. */
export function claimOf(
  { alone, uses = [], workers }: Pick<Scenario, 'alone' | 'uses' | 'workers'>,
  row: Pick<RuleRow, 'needs'>,
  { queue }: Pick<Target, 'queue'>,
): Claim {
  const endpoints = [...new Set(uses.flatMap((role) => queue?.endpoints[role] ?? []))]
  const usual = row.needs.includes('worker') && endpoints.length === 0 ? 1 : 0
  return { alone, endpoints, workers: workers ?? usual }
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The wait of a row in ms; 0 where it has none. */
export function waitMsOf({ wait }: Pick<RuleRow, 'wait'>): number {
  const match = /^(\d+)([smhd])$/.exec(wait ?? '')
  return match === null ? 0 : Number(match[1]) * (unitMs[match[2] ?? ''] ?? 0)
}
