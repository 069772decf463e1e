import type { RuleRow } from '../generated/rules.ts'
import { judgedByLoad } from '../harness/rule/load-rules.ts'
import type { RunVerdict } from '../verdicts/exit-codes.ts'
import { countsOf } from './build.ts'
import type { KnownResult, Results, RuleResult } from './types.ts'
import { aboutTheTarget, judgeRun, notSelected } from './verdict.ts'

/** Results, and the folder that they are from, for messages. */
export interface NamedResults {
  readonly name: string
  readonly results: Results
}

/** These results cannot be merged. */
export class NotMergeable extends Error {
  override readonly name = 'NotMergeable'
}

const finished: readonly RunVerdict[] = [
  'conformant',
  'conformant with known failures',
  'not conformant',
  'incomplete',
  'no failures',
  'failures',
]
/** States of an entry of `known:`, the one that decides first. */
const knownOrder = ['no longer fails', 'stale', 'expired', 'accepted', 'not judged']

/**
 * Several separate runs of one target as one: each rule with the verdict of a run that judged it, in the order of the
 * ledger, and the verdict of the whole over all of them.
 * @throws NotMergeable, which names both: the same run twice; different targets, versions or ledgers; an unfinished run;
 * contradicting verdicts.
 */
export function mergeResults(
  all: readonly NamedResults[],
  ledger: readonly Pick<RuleRow, 'id' | 'profile'>[],
): Results {
  const [first, ...others] = all
  if (first === undefined) throw new NotMergeable('nothing to merge; name at least one folder with results.json')
  for (const one of all) refuseUnfinished(one)
  for (const other of others) refuseDifferentInputs(first, other)
  refuseSameRun(all)
  const rules = mergeRules(all, ledger)
  const known = mergeKnown(all)
  const runs = all.map(({ results }) => results.run)
  const load = all.flatMap(({ results }) => results.load ?? [])
  const [serverEnd] = runs.flatMap((run) => run.serverEnd ?? [])
  const profiles = [...new Set(runs.flatMap((run) => run.profiles))]
  const strict = runs.some((run) => run.strict)
  const selected = new Set(rules.map(({ id }) => id))
  const byLoad = [...selected].filter((id) => judgedByLoad.has(id))
  const { verdict, coverage } = judgeRun({
    rules: rules.map((rule) => ({ ...rule, accepted: rule.known !== null })),
    known,
    profiles,
    strict,
    ...notSelected(ledger, { selected, profiles, byLoad: byLoad.length === 0 ? null : byLoad }),
    ended: true,
    stopped: null,
    serverEnd,
  })
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)
  const passed = runs.flatMap(({ passedMs }) => passedMs ?? [])
  return {
    ...first.results,
    run: {
      ...first.results.run,
      id: runs.map(({ id }) => id).join('+'),
      startedMs: Math.min(...runs.map(({ startedMs }) => startedMs)),
      endedMs: Math.max(...runs.map(({ endedMs }) => endedMs)),
      passedMs: passed.length < runs.length ? null : sum(passed),
      profiles,
      strict,
      selected: rules.length,
      exchanges: sum(runs.map(({ exchanges }) => exchanges)),
      ...(serverEnd !== undefined && { serverEnd }),
    },
    verdict,
    coverage,
    counts: countsOf(rules),
    rules,
    known,
    ...(load.length > 0 && { load }),
  }
}

/** A run is merged once; merged results name all of theirs. */
function refuseSameRun(all: readonly NamedResults[]): void {
  const seen = new Map<string, string>()
  for (const { name, results } of all) {
    for (const id of results.run.id.split('+')) {
      const before = seen.get(id)
      if (before !== undefined) throw new NotMergeable(`${before} and ${name} are the same run (${id}); name it once`)
      seen.set(id, name)
    }
  }
}

/** True if a run ended as planned, and without a fault of Plumbline. */
export function isFinished({ word }: Results['verdict']): boolean {
  return finished.includes(word)
}

function refuseUnfinished({ name, results }: NamedResults): void {
  if (results.run.traffic)
    throw new NotMergeable(`${name} has judged the traffic of other clients; merge only runs of check and load`)
  if (isFinished(results.verdict)) return
  throw new NotMergeable(`the run in ${name} is ${results.verdict.line}; run it again, and merge its results`)
}

function refuseDifferentInputs(first: NamedResults, other: NamedResults): void {
  const [difference] = differencesOf(first.results.run, other.results.run)
  if (difference === undefined) return
  throw new NotMergeable(
    `${first.name} and ${other.name} were made with different ${difference}, and cannot be merged; run both again with the same`,
  )
}

/** The inputs in which two runs differ, in words: versions and target files. */
export function differencesOf(a: Results['run'], b: Results['run']): string[] {
  const names = ['target', 'ledger', 'specification', 'suite'].filter((part) => a.digests[part] !== b.digests[part])
  const targets = `target files (${a.target === b.target ? `both of ${a.target}` : `${a.target}, ${b.target}`})`
  return [
    ...(a.plumbline === b.plumbline ? [] : [`versions of plumbline (${a.plumbline}, ${b.plumbline})`]),
    ...names.map((name) => (name === 'target' ? targets : `versions of the ${name}`)),
  ]
}

function mergeRules(all: readonly NamedResults[], ledger: readonly Pick<RuleRow, 'id'>[]): RuleResult[] {
  const found = new Map<string, { readonly name: string; readonly rule: RuleResult }>()
  for (const { name, results } of all) {
    for (const rule of results.rules) {
      const before = found.get(rule.id)
      if (before !== undefined && contradicts(before.rule, rule)) {
        throw new NotMergeable(
          `${rule.id} is ${before.rule.verdict} in ${before.name} and ${rule.verdict} in ${name}; find out which is right, and merge that one`,
        )
      }
      const isMore = before === undefined || (!isAbout(before.rule) && isAbout(rule))
      if (isMore) found.set(rule.id, { name, rule })
    }
  }
  return ledger.flatMap(({ id }) => found.get(id)?.rule ?? [])
}

function contradicts(one: RuleResult, two: RuleResult): boolean {
  return isAbout(one) && isAbout(two) && one.verdict !== two.verdict
}

function isAbout({ verdict }: RuleResult): boolean {
  return aboutTheTarget.has(verdict)
}

/** All are of one target file, so the entries have the same order. */
function mergeKnown(all: readonly NamedResults[]): KnownResult[] {
  const [first] = all
  return (first?.results.known ?? []).map((entry, at) => {
    const states = all.map(({ results }) => results.known[at]?.state ?? entry.state)
    const state = [...states].sort((a, b) => knownOrder.indexOf(a) - knownOrder.indexOf(b))[0] ?? entry.state
    return { ...entry, state }
  })
}
