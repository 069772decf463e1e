import type { RuleRow } from '../generated/rules.ts'
import type { Verdict } from '../harness/rule/outcome.ts'
import type { KnownResult, Results, RuleResult } from '../results/types.ts'
import { judgeRun, verdictOrder } from '../results/verdict.ts'
import { LoadError } from './load-error.ts'

/** Results, and what to call them in a message: the folder that they lie in. */
export interface NamedResults {
  readonly name: string
  readonly results: Results
}

/** What a verdict must be for another one to contradict it. */
const aboutTheTarget: ReadonlySet<Verdict> = new Set<Verdict>(['passed', 'observed', 'failed', 'advice'])
const comparable = ['conformant', 'not conformant', 'incomplete']
/** What became of an entry of `known:`, the more telling first. */
const knownOrder = ['no longer fails', 'stale', 'expired', 'accepted', 'not judged']

/**
 * Several runs of one target as one: each rule with the verdict that some run came to, and the verdict of the whole
 * over all of them. Rules stand in the order of the ledger.
 * @throws LoadError where they are of other targets, versions or ledgers, where a run did not come to its end, or
 * where two of them contradict each other about a rule; the message names both.
 */
export function mergeResults(
  all: readonly NamedResults[],
  ledger: readonly Pick<RuleRow, 'id' | 'profile'>[],
): Results {
  const [first, ...others] = all
  if (first === undefined) throw new LoadError('there is nothing to merge; name at least one folder with results.json')
  for (const one of all) refuseUnfinished(one)
  for (const other of others) refuseOther(first, other)
  const rules = mergeRules(all, ledger)
  const known = mergeKnown(all)
  const runs = all.map(({ results }) => results.run)
  const profiles = [...new Set(runs.flatMap((run) => run.profiles))]
  const strict = runs.some((run) => run.strict)
  const ids = new Set(rules.map(({ id }) => id))
  const leftOut = ledger.filter(({ id, profile }) => profiles.includes(profile) && !ids.has(id)).length
  const judged = rules.map((rule) => ({ ...rule, accepted: rule.known !== null }))
  const { verdict, coverage } = judgeRun({
    rules: judged,
    known,
    profiles,
    strict,
    leftOut,
    ended: true,
    stopped: null,
  })
  return {
    ...first.results,
    run: {
      ...first.results.run,
      id: runs.map(({ id }) => id).join('+'),
      startedMs: Math.min(...runs.map(({ startedMs }) => startedMs)),
      endedMs: Math.max(...runs.map(({ endedMs }) => endedMs)),
      passedMs: runs.some(({ passedMs }) => passedMs === null)
        ? null
        : runs.reduce((sum, { passedMs }) => sum + (passedMs ?? 0), 0),
      profiles,
      strict,
      selected: rules.length,
      exchanges: runs.reduce((sum, { exchanges }) => sum + exchanges, 0),
    },
    verdict,
    coverage,
    counts: Object.fromEntries(
      verdictOrder
        .map((word) => [word, rules.filter((rule) => rule.verdict === word).length] as const)
        .filter(([, count]) => count > 0),
    ),
    rules,
    known,
  }
}

function refuseUnfinished({ name, results }: NamedResults): void {
  const { word, line } = results.verdict
  if (comparable.includes(word)) return
  throw new LoadError(`${name} holds the results of a run that is ${line}; run it again, and merge what it comes to`)
}

function refuseOther(first: NamedResults, other: NamedResults): void {
  const [a, b] = [first.results.run, other.results.run]
  const what = [
    ['plumbline', a.plumbline, b.plumbline],
    ...['target', 'ledger', 'specification', 'suite'].map((name) => [name, a.digests[name], b.digests[name]]),
  ].find(([, one, two]) => one !== two)
  if (what === undefined) return
  const [name = '', one = '', two = ''] = what
  const words =
    name === 'target'
      ? `target files (${a.target} and ${b.target})`
      : name === 'plumbline'
        ? `versions of plumbline (${one} and ${two})`
        : `versions of the ${name}`
  throw new LoadError(
    `${first.name} and ${other.name} are of different ${words}, so they cannot be one; run both again`,
  )
}

function mergeRules(all: readonly NamedResults[], ledger: readonly Pick<RuleRow, 'id'>[]): RuleResult[] {
  const found = new Map<string, { readonly name: string; readonly rule: RuleResult }>()
  for (const { name, results } of all) {
    for (const rule of results.rules) {
      const before = found.get(rule.id)
      if (before !== undefined && contradicts(before.rule, rule)) {
        throw new LoadError(
          `${before.name} says ${before.rule.verdict} of ${rule.id}, and ${name} says ${rule.verdict}; find out which is so, and merge that one`,
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

/** The entries are those of one target file, so they stand in the same order everywhere. */
function mergeKnown(all: readonly NamedResults[]): KnownResult[] {
  const [first] = all
  return (first?.results.known ?? []).map((entry, at) => {
    const states = all.map(({ results }) => results.known[at]?.state ?? entry.state)
    const state = [...states].sort((a, b) => knownOrder.indexOf(a) - knownOrder.indexOf(b))[0] ?? entry.state
    return { ...entry, state }
  })
}
