/**
 * Registers a vitest test for each rule. The target is `./plumbline.yaml`, the file that PLUMBLINE_TARGET names, or the built-in
 * reference if that is `reference`; PLUMBLINE_PROFILE, PLUMBLINE_RULES (a folder) and PLUMBLINE_SEED are the flags of `check`.
 * @module plumbline-conformance/vitest
 */

import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest'
import { integer } from '../cli/shared/arguments.ts'
import { interruptedBy } from '../cli/shared/interrupt.ts'
import { temporaryFolder } from '../cli/shared/output-folders.ts'
import { prepareCheck } from '../cli/shared/prepare-check.ts'
import { beginRun } from '../cli/shared/run-check.ts'
import { sweepOwn } from '../cli/shared/sweep.ts'
import { findingText } from '../harness/rule/outcome.ts'
import { allRules } from '../harness/rule/registry.ts'
import type { Judgement } from '../harness/run/judge.ts'
import { openRun, registerRules } from '../harness/run/open.ts'
import { invariantScenarios } from '../proof/plan.ts'
import { acceptedBy, dayOf, judgeKnown } from '../results/known.ts'
import type { Verdict } from '../verdicts/verdicts.ts'
import { quietTerminal } from './terminal.ts'

/** Nothing is known about the target. Rules of the level should are no reason to fail. */
const skipped: ReadonlySet<Verdict> = new Set(['unclaimed', 'not-applicable', 'advice'])
const green: ReadonlySet<Verdict> = new Set(['passed', 'observed'])

const [PLUMBLINE_TARGET, PLUMBLINE_PROFILE, PLUMBLINE_RULES, PLUMBLINE_SEED] = [
  'PLUMBLINE_TARGET',
  'PLUMBLINE_PROFILE',
  'PLUMBLINE_RULES',
  'PLUMBLINE_SEED',
].map((name) => process.env[name] || undefined)
const isReference = PLUMBLINE_TARGET === 'reference'
const terminal = quietTerminal(() => {})
const flags = {
  ...(PLUMBLINE_TARGET !== undefined && !isReference && { target: PLUMBLINE_TARGET }),
  ...(PLUMBLINE_PROFILE !== undefined && { profile: PLUMBLINE_PROFILE }),
  ...(PLUMBLINE_RULES !== undefined && { rules: PLUMBLINE_RULES }),
  ...(PLUMBLINE_SEED !== undefined && { seed: integer(0)(PLUMBLINE_SEED) }),
}
const prepared = await prepareCheck(
  { only: [], reference: isReference, strict: false, keep: false, quiet: true, failFast: false, format: [], ...flags },
  terminal,
)
let judged: ReadonlyMap<string, Promise<Judgement>> = new Map()
let end = async () => {}

for (const id of prepared.plan.rules) {
  test(id, { timeout: 0 }, async (context) => {
    report(found(await judged.get(id), null), context)
  })
}

// Only the tests that were chosen are judged, all at once: a run is as long as its longest wait.
// biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixtures of a hook from this pattern
beforeAll(async ({}, { tasks }) => {
  const chosen = new Set(tasks.filter(({ mode }) => mode === 'run' || mode === 'queued').map(({ name }) => name))
  if (chosen.size > 0) await begin(prepared.plan.rules.filter((id) => chosen.has(id)))
}, 0)

afterAll(() => end(), 0)

async function begin(chosen: readonly string[]): Promise<void> {
  const folder = temporaryFolder('plumbline-')
  const options = beginRun(prepared, folder)
  await registerRules(options)
  const more = invariantScenarios(allRules().filter(({ id }) => chosen.includes(id)))
  const run = await openRun({ ...options, rules: [...new Set([...chosen, ...more])].sort() })
  const { scenarios, invariants } = run.session
  const ended = run.stopped === null ? scenarios.map(({ id, judge }) => [id, judge()] as const) : []
  const rest = Promise.allSettled(ended.map(([, judgement]) => judgement)).then(() => run.finish())
  const judgementOf = async (id: string) =>
    found(
      (await rest).find(({ rule }) => rule === id),
      run.stopped,
    )
  judged = new Map([
    ...(run.stopped === null ? ended : scenarios.map(({ id }) => [id, judgementOf(id)] as const)),
    ...invariants.map((id) => [id, judgementOf(id)] as const),
  ])
  // Each test reports its own.
  for (const judgement of judged.values()) judgement.catch(() => {})
  end = async () => {
    await rest
    const interruption = interruptedBy(new AbortController().signal)
    if (options.target !== null)
      await sweepOwn(options.target, { run: options.run, leaveKept: false, interruption }, terminal)
    rmSync(folder, { recursive: true, force: true })
  }
}

function found(judgement: Judgement | undefined, stopped: { readonly message: string } | null): Judgement {
  if (judgement !== undefined) return judgement
  throw new Error(terminal.clean(stopped?.message ?? 'the rule was not judged'))
}

/** Fails, skips or passes the test of a rule, with its findings as the message. */
function report({ rule, verdict, reason, findings, clauses }: Judgement, { skip }: TestContext): void {
  if (green.has(verdict)) return
  const lines = findings.map(findingText)
  const message = terminal.clean([`${verdict}${reason === null ? '' : `: ${reason}`}`, ...lines].join('\n'))
  const violated = new Set(findings.map(({ clause }) => clause))
  const known = judgeKnown({
    entries: prepared.target?.known ?? [],
    day: dayOf(Date.now()),
    exists: () => true,
    shown: (id) => (id === rule ? { verdict, clauses, violated } : undefined),
  })
  const accepted = acceptedBy(known, rule, violated)
  if (skipped.has(verdict) || accepted !== null) skip(accepted === null ? message : `known: ${accepted.reason}`)
  expect.fail(message)
}
