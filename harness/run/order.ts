import type { RuleRow } from '../../generated/rules.ts'
import { needsOf } from '../../target/claims.ts'
import { randomFrom } from '../common/random.ts'
import { costOfRule } from '../plan/costs.ts'
import { beginsBefore } from '../plan/plan.ts'
import { waitMsOf } from '../plan/resources.ts'
import type { Scenario } from '../rule/registry.ts'

/** Rules in the order in which they begin; ties are shuffled by the seed, and rules that must be alone come last. */
export function inOrder(rules: readonly Scenario[], seed: number, rowOf: (id: string) => RuleRow): Scenario[] {
  const random = randomFrom(seed, 'order')
  return [...rules]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((rule) => {
      const row = rowOf(rule.id)
      const ms = Math.max(waitMsOf(row), costOfRule(row, 'free').ms)
      return { rule, alone: Number(rule.alone), needsWorker: needsOf(row).includes('worker'), ms, place: random() }
    })
    .sort((a, b) => a.alone - b.alone || beginsBefore(a, b) || a.place - b.place)
    .map(({ rule }) => rule)
}
