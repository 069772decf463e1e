import { pluralize } from '../harness/common/pluralize.ts'
import type { Results } from '../results/types.ts'
import { exitCodes } from '../verdicts/exit-codes.ts'
import { headingOf, type ReportedResults, verdictLines } from './baseline.ts'
import { gapCauses } from './causes.ts'
import {
  acceptedText,
  detailsOf,
  headlineOf,
  knownSentence,
  reasonOf,
  sortRules,
  unverifiedOf,
  withOwnReason,
} from './sort.ts'
import { type Annotation, workflowCommand } from './workflow-command.ts'

/** Annotations of one kind that GitHub shows for a step. */
const shownOfKind = 10

/**
 * Workflow commands of GitHub Actions, which become annotations: the verdict, an error for each failure, a warning for each
 * advice and for each reason why rules that were claimed were not verified, a notice for each failure of the baseline. Of more than ten of a kind, the last one sums up the rest.
 */
export function renderGithub(results: ReportedResults): string {
  const { run, verdict, known } = results
  const { failures, lesser } = sortRules(results)
  const file = run.targetFile
  const judged = { title: `plumbline: ${headingOf(results)}`, text: verdictLines(results).join('\n') }
  const isGood = verdict.exit === exitCodes.conformant
  const errors = [
    ...(isGood ? [] : [judged]),
    ...failures.map((rule) => ({
      title: `${rule.id} ${rule.verdict}`,
      text: `${rule.verdict === 'broken' ? reasonOf(rule) : headlineOf(rule)}\n\n${detailsOf(rule, run)}`,
    })),
    ...known.flatMap((entry) => {
      const text = knownSentence(entry)
      return text === null ? [] : [{ title: `known: ${entry.rule}`, text }]
    }),
  ]
  const warnings = [
    ...lesser
      .filter((rule) => acceptedText(rule) === null)
      .map((rule) => ({ title: `${rule.id} (advice)`, text: `${headlineOf(rule)}\n\n${detailsOf(rule, run)}` })),
    ...unverifiedByReason(results),
  ]
  const notices = lesser
    .filter(({ baseline }) => baseline !== undefined)
    .map((rule) => ({ title: `${rule.id} (not new)`, text: `${acceptedText(rule)}: ${headlineOf(rule)}` }))
  const lines = [
    ...commandsOf('error', 'failure', errors, file),
    ...commandsOf('warning', 'warning', warnings, file),
    ...commandsOf('notice', 'notice', [...(isGood ? [judged] : []), ...notices], file),
  ]
  return `${lines.join('\n')}\n`
}

/** One for all rules with the same reason: a server that is away has hundreds. */
function unverifiedByReason(results: Results): Annotation[] {
  return gapCauses(withOwnReason(unverifiedOf(results))).map(({ title, rules }) => {
    const ids = rules.map(({ id }) => id)
    const subject = ids.length === 1 ? ids[0] : pluralize(ids.length, 'rule')
    return {
      title: `${subject} ${rules[0]?.verdict}`,
      text: ids.length === 1 ? title : `${title}\n\n${ids.join('\n')}`,
    }
  })
}

function commandsOf(kind: string, noun: string, all: readonly Annotation[], file: string | null): string[] {
  const isMore = all.length > shownOfKind
  const shown = isMore ? all.slice(0, shownOfKind - 1) : all
  const rest = all.length - shown.length
  const sum = { title: `plumbline: ${pluralize(rest, `more ${noun}`)}`, text: 'All are in the report and the summary.' }
  return [...shown, ...(isMore ? [sum] : [])].map((annotation) => workflowCommand(kind, annotation, file))
}
