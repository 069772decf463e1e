import { dirname, resolve } from 'node:path'
import { pluralize } from '../../../harness/common/pluralize.ts'
import { judgedByLoad } from '../../../harness/rule/load-rules.ts'
import type { FailFast } from '../../../harness/run/options.ts'
import { findRow } from '../../../harness/run/rows.ts'
import { unverifiedOf } from '../../../reports/sort.ts'
import { dayOf } from '../../../results/known.ts'
import { isFinished, type NamedResults } from '../../../results/merge.ts'
import type { Results, RuleResult } from '../../../results/types.ts'
import type { Target } from '../../../target/types.ts'
import { UsageError } from '../errors.ts'
import { resultsFile, resultsReader } from '../records/read-results.ts'
import type { Terminal } from '../terminal.ts'

// Flags of check that name an earlier run.

/** The results that `--baseline` names, read before the run begins. Throws UsageError for a run that did not end. */
export function readBaseline(name: string, out: string | undefined, { cwd }: Terminal): NamedResults {
  if (out !== undefined && resolve(cwd, out) === dirname(resultsFile(cwd, name))) {
    throw new UsageError(`--out ${out} would replace the baseline; choose another folder`)
  }
  const baseline = resultsReader(cwd)(name, `--baseline ${name}`)
  if (isFinished(baseline.results.verdict)) return baseline
  throw new UsageError(`--baseline ${name}: that run is ${baseline.results.verdict.line}; name one that ended`)
}

/** The rules that `--rerun-failed` selects, none if all was verified, and the verdict of the earlier run. */
interface FailedRules extends Pick<Results, 'verdict'> {
  readonly only: readonly string[]
  readonly seed: number | null
}

/**
 * The rules that failed in an earlier run or were not verified, and the scenarios that showed a failure. It says how many
 * of them this run does not judge.
 */
export function readFailed(name: string, isWithLoad: boolean, { cwd, err }: Terminal): FailedRules {
  const { results } = resultsReader(cwd)(name, `--rerun-failed ${name}`)
  const failed = results.rules.filter(({ verdict }) => verdict === 'failed')
  const open = [...results.rules.filter(({ verdict }) => verdict === 'broken'), ...unverifiedOf(results)]
  const all = [...new Set([...failed.flatMap(rerunOf), ...open.map(({ id }) => id)])]
  const only = all.filter((id) => findRow(id) !== undefined && (isWithLoad || !judgedByLoad.has(id)))
  const missing = pluralize(all.length - only.length, 'rule')
  const remedy = 'add --load for rules of load, and the --rules of that run if it had any'
  if (only.length === 0 && all.length > 0)
    throw new UsageError(`--rerun-failed ${name}: its ${missing} cannot be rerun; ${remedy}`)
  if (only.length < all.length) err(`${missing} of ${name} not rerun; ${remedy}`)
  return { only, seed: results.run.seed, verdict: results.verdict }
}

/** The ids in the rerun command of a rule: its own, and of the scenario that showed the failure of an invariant. */
function rerunOf({ id, rerun }: RuleResult): string[] {
  return [id, ...[...rerun.matchAll(/--only (\S+)/g)].map(([, only = id]) => only)]
}

/** Failures that do not end a run with `--fail-fast`: those that the target file accepts today, and those of the baseline. */
export function toleratedFailures(target: Target | null, baseline: NamedResults | null): FailFast['tolerated'] {
  const today = dayOf(Date.now())
  const accepted = (target?.known ?? []).filter(({ expires }) => expires >= today)
  const failed = baseline?.results.rules.filter(({ verdict }) => verdict === 'failed') ?? []
  return [
    ...accepted.map(({ rule, clause }) => ({ rule, clause })),
    ...failed.flatMap(({ id, findings }) => findings.map(({ clause }) => ({ rule: id, clause }))),
  ]
}
