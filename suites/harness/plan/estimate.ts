import type { RuleRow } from '../../../generated/rules.ts'
import type { Scenario } from '../registry.ts'
import { needsOf } from '../target/claims.ts'
import type { Target } from '../target/types.ts'
import type { PlanRule } from './plan.ts'
import { claimOf, waitMsOf } from './resources.ts'

/** What it takes to arrange things, where the target behaves as most do; a plan is an estimate, and says so. */
const pods = { requests: 12, ms: 10_000 }
const jobs = { requests: 8, ms: 3_000 }
const other = { requests: 4, ms: 0 }

/** A worker that must be gone first comes up again for the rule, and perhaps goes once more. */
const coldMs = 25_000

/** A request with its share of the pauses between polls, real ms. */
const requestMs = { real: 250, controlled: 4 }

/** What one rule takes of a run against this target. */
export function estimate(scenario: Scenario, row: RuleRow, target: Target): PlanRule {
  const needs = needsOf(row)
  const kind = needs.some((need) => need.startsWith('pod')) ? pods : needs.includes('worker') ? jobs : other
  const requests = scenario.requests ?? kind.requests
  const isReal = target.clock === 'real'
  const waitMs = isReal ? waitMsOf(row) : 0
  const arrangeMs = kind.ms + (isCold(scenario) ? coldMs : 0)
  return {
    rule: row.id,
    requests,
    waitMs,
    ms: waitMs + (isReal ? arrangeMs : 0) + requests * requestMs[isReal ? 'real' : 'controlled'],
    claim: claimOf(scenario, row, target),
  }
}

function isCold({ uses = [], shares = [] }: Scenario): boolean {
  return [...uses, ...shares].includes('scaleToZero')
}
