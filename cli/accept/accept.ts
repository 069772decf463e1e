import { readFileSync, writeFileSync } from 'node:fs'
import { ruleById } from '../../generated/rules.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import { dayOf } from '../../results/known.ts'
import { isFinished, type NamedResults } from '../../results/merge.ts'
import type { RuleResult } from '../../results/types.ts'
import { withKnown } from '../../target-file/accept.ts'
import { parseTarget } from '../../target-file/load.ts'
import { unknownRule } from '../../target-file/nearest.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { UsageError } from '../shared/errors.ts'
import type * as commands from '../shared/options.ts'
import { writableFile } from '../shared/records/output-folders.ts'
import { resultsReader } from '../shared/records/read-results.ts'
import { readTarget, withTarget } from '../shared/target.ts'
import type { Terminal } from '../shared/terminal.ts'

type Options = commands.OptionsOf<typeof commands.accept>

/** Writes the failures of a run into `known` of its target file. */
export async function accept(
  run: string,
  ids: readonly string[],
  { until, reason, target: given }: Options,
  terminal: Terminal,
): Promise<number> {
  if (reason.trim() === '') throw new UsageError('--reason is empty; say why the failure is accepted')
  const today = dayOf(Date.now())
  if (until < today) throw new UsageError(`--until ${until} is in the past; give today, ${today}, or a later day`)
  const named = resultsReader(terminal.cwd)(run)
  if (ids.length === 0 && !isFinished(named.results.verdict))
    throw new UsageError(`${run} is ${named.results.verdict.line}; name the rules to accept, or a run that ended`)
  const failed = failedRules(named, ids)
  if (failed.length === 0) {
    terminal.out(`nothing failed in ${run} that is not accepted yet`)
    return exitCodes.conformant
  }
  if (named.results.run.clock === 'virtual')
    throw new UsageError(`${run} judged the built-in reference, which has no target file`)
  const { target: ofRun, targetFile } = named.results.run
  const name = given ?? targetFile ?? withTarget<{ target?: string }>({}, terminal).target ?? ''
  const target = await readTarget(name, terminal)
  if (target.name !== ofRun)
    throw new UsageError(
      `${name} is the target file of ${target.name}, and ${run} judged ${ofRun}; name its file with --target`,
    )
  const entries = failed.flatMap(({ id, findings }) =>
    [...new Set(findings.map(({ clause }) => clause))].map((clause) => ({ rule: id, clause, reason, expires: until })),
  )
  const file = writableFile(terminal.cwd, '--target', name)
  const accepted = withKnown(readFileSync(file, 'utf8'), entries)
  if (accepted === null) throw new UsageError(`${name}: known is an alias; write the list out`)
  parseTarget(accepted, { file: name, environment: terminal.environment })
  writeFileSync(file, accepted)
  for (const { rule, clause } of entries) terminal.out(`accepted  ${rule}, clause ${clause}`)
  terminal.out(`${name}: ${pluralize(entries.length, 'failure')} accepted until ${until}`)
  return exitCodes.conformant
}

/** The named rules, all of which must have failed; without names those that failed and are not accepted yet. */
function failedRules({ name, results }: NamedResults, ids: readonly string[]): RuleResult[] {
  if (ids.length === 0) return results.rules.filter(({ verdict, known }) => verdict === 'failed' && known === null)
  return [...new Set(ids)].map((id) => {
    const rule = results.rules.find((one) => one.id === id)
    if (rule?.verdict === 'failed') return rule
    if (rule !== undefined)
      throw new UsageError(`${id} is ${rule.verdict} in ${name}; only rules that failed can be accepted`)
    const known: string[] = [...ruleById.keys()]
    if (known.includes(id)) throw new UsageError(`${id} was not selected in ${name}; name a run in which it failed`)
    throw new UsageError(unknownRule(id, known))
  })
}
