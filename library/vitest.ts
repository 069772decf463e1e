/**
 * Registers a vitest test for each rule. The target is `./plumbline.yaml`, the file that PLUMBLINE_TARGET names, or the built-in
 * reference if that is `reference`; PLUMBLINE_PROFILE, PLUMBLINE_RULES (a folder) and PLUMBLINE_SEED are the flags of `check`.
 * @module plumbline-conformance/vitest
 */

import { beforeAll, expect, type TestContext, test } from 'vitest'
import { integer } from '../cli/shared/arguments.ts'
import { openCheck } from '../cli/shared/run/prepare-check.ts'
import { vendorRulesOf } from '../cli/shared/run/vendor-rules.ts'
import { withTarget } from '../cli/shared/target.ts'
import { findingText } from '../harness/rule/outcome.ts'
import type { RuleResult } from '../results/types.ts'
import type { Verdict } from '../verdicts/verdicts.ts'
import { check } from './check.ts'
import { quietTerminal } from './terminal.ts'

/** Nothing is known about the target. Rules of the level should are no reason to fail. */
const skipped: ReadonlySet<Verdict> = new Set(['unclaimed', 'not-applicable', 'advice'])
const green: ReadonlySet<Verdict> = new Set(['passed', 'observed'])

const variable = (name: string) => process.env[`PLUMBLINE_${name}`] || undefined
const [named, profile, rules, seed] = [variable('TARGET'), variable('PROFILE'), variable('RULES'), variable('SEED')]
const terminal = quietTerminal(() => {})
const flags = withTarget(
  {
    ...{ only: [], strict: false, keep: false, quiet: true, failFast: false, format: [] },
    reference: named === 'reference',
    ...(named !== undefined && named !== 'reference' && { target: named }),
    ...(profile !== undefined && { profile }),
  },
  terminal,
)
const { selection } = await openCheck(flags, await vendorRulesOf(rules, terminal.cwd), terminal)
let judged: ReadonlyMap<string, RuleResult> = new Map()

for (const id of selection.selected) test(id, (context) => report(judged.get(id), context))

// Only the tests that were chosen are judged, all at once: a run is as long as its longest wait.
// biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixtures of a hook from this pattern
beforeAll(async ({}, { tasks }) => {
  const only = tasks.filter(({ mode }) => mode === 'run' || mode === 'queued').map(({ name }) => name)
  if (only.length === 0) return
  const results = await check(flags.target ?? { reference: true }, {
    only,
    profiles: selection.profiles,
    ...(rules !== undefined && { rules }),
    ...(seed !== undefined && { seed: integer(0)(seed) }),
  })
  judged = new Map(results.rules.map((rule) => [rule.id, rule]))
}, 0)

/** Fails, skips or passes the test of a rule, with its findings as the message. */
function report(rule: RuleResult | undefined, { skip }: TestContext): void {
  if (rule === undefined) throw new Error('the rule was not judged')
  const { verdict, reason, findings, known } = rule
  if (green.has(verdict)) return
  if (known !== null) skip(`known: ${known.reason}`)
  const message = [`${verdict}${reason === null ? '' : `: ${reason}`}`, ...findings.map(findingText)].join('\n')
  if (skipped.has(verdict)) skip(message)
  expect.fail(message)
}
