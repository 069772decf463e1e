import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ruleById } from '../../generated/rules.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import { describeTarget, redactorOf } from '../../harness/record/describe.ts'
import type { RunEvent } from '../../harness/record/events.ts'
import { readEvidence } from '../../harness/record/read.ts'
import { dayOf } from '../../results/known.ts'
import { isFinished, type NamedResults } from '../../results/merge.ts'
import type { RuleResult } from '../../results/types.ts'
import type { KnownFailure, Target } from '../../target/types.ts'
import { withKnown } from '../../target-file/accept.ts'
import { parseTarget } from '../../target-file/load.ts'
import { unknownRule } from '../../target-file/nearest.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { UsageError } from '../shared/errors.ts'
import type * as commands from '../shared/options.ts'
import { isFile, writableFile } from '../shared/output-folders.ts'
import { resultsFile, resultsReader } from '../shared/read-results.ts'
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
  const recorded = await runOf(dirname(resultsFile(terminal.cwd, run)))
  if (named.results.run.clock === 'virtual')
    throw new UsageError(`${run} judged the built-in reference, which has no target file`)
  const { target: name = '' } = withTarget(targetOf(given ?? recorded?.targetFile), terminal)
  const target = await readTarget(name, terminal)
  refuseOther(target, name, named, recorded)
  const entries = failed.flatMap(({ id, findings }) =>
    [...new Set(findings.map(({ clause }) => clause))].map((clause) => ({ rule: id, clause, reason, expires: until })),
  )
  const file = writableFile(terminal.cwd, '--target', name)
  const accepted = withKnown(readFileSync(file, 'utf8'), entries)
  if (accepted === null) throw new UsageError(`${name}: known is an alias; write the list out`)
  parseTarget(accepted.text, { file: name, environment: terminal.environment })
  writeFileSync(file, accepted.text)
  for (const entry of accepted.added) terminal.out(`added    ${lineOf(entry)}`)
  for (const entry of accepted.updated) terminal.out(`updated  ${lineOf(entry)}`)
  const { length } = [...accepted.added, ...accepted.updated]
  terminal.out(`${name}: ${pluralize(length, 'failure')} accepted until ${until}`)
  return exitCodes.conformant
}

function targetOf(target: string | null | undefined): { readonly target?: string } {
  return typeof target === 'string' ? { target } : {}
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

/** The first line of the record beside the results; null if there is none, as for merged results. */
async function runOf(folder: string): Promise<RunEvent | null> {
  if (!isFile(join(folder, 'evidence.ndjson'))) return null
  for await (const event of readEvidence(folder)) return event.type === 'run' ? event : null
  return null
}

/**
 * Throws UsageError for a target file that is not that of the run. Entries of `known` may differ; a run itself sets the budget
 * and the address of the receiver.
 */
function refuseOther(target: Target, file: string, { name, results }: NamedResults, recorded: RunEvent | null): void {
  const ofRun = (one: unknown) => ({ ...membersOf(one), known: null, budget: null, receiver: null })
  const redactor = redactorOf(target)
  const masked = (_: string, value: unknown) => (typeof value === 'string' ? redactor.text(value) : value)
  const described: unknown = JSON.parse(JSON.stringify(describeTarget(target), masked))
  const isSame =
    recorded === null ? target.name === results.run.target : isDeepStrictEqual(ofRun(described), ofRun(recorded.target))
  if (isSame) return
  throw new UsageError(
    `${file} is not the target file of ${name} (${results.run.target}), or has changed since; name that file with --target, or run check again`,
  )
}

function lineOf({ rule, clause }: KnownFailure): string {
  return clause === null ? rule : `${rule}, clause ${clause}`
}
