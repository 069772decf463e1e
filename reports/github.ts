import { pluralize } from '../harness/common/pluralize.ts'
import type { RuleResult } from '../results/types.ts'
import { exitCodes } from '../verdicts/exit-codes.ts'
import { headingOf, type ReportedResults, verdictLines } from './baseline.ts'
import { gapCauses } from './causes.ts'
import { subjectOf } from './gaps.ts'
import {
  acceptedText,
  detailsOf,
  headlineOf,
  knownSentence,
  messageOf,
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
  const annotation = (rule: RuleResult) => ({
    title: `${rule.id} ${rule.verdict}`,
    text: `${messageOf(rule)}\n\n${detailsOf(rule, run)}`,
  })
  const isGood = verdict.exit === exitCodes.conformant
  const errors = [
    ...(isGood ? [] : [judged]),
    ...failures.map(annotation),
    ...known.flatMap((entry) => {
      const text = knownSentence(entry)
      return text === null ? [] : [{ title: `known: ${entry.rule}`, text }]
    }),
  ]
  const warnings = [
    ...lesser.filter((rule) => acceptedText(rule) === null).map(annotation),
    // One for all rules with the same reason: a server that is away has hundreds.
    ...gapCauses(withOwnReason(unverifiedOf(results))).map((gap) => ({
      title: `${subjectOf(gap)} ${gap.rules[0]?.verdict}`,
      text: [gap.title, '', ...gap.rules.map(({ id }) => id)].join('\n'),
    })),
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

function commandsOf(kind: string, noun: string, all: readonly Annotation[], file: string | null): string[] {
  const isMore = all.length > shownOfKind
  const shown = isMore ? all.slice(0, shownOfKind - 1) : all
  const rest = all.length - shown.length
  const sum = { title: `plumbline: ${pluralize(rest, `more ${noun}`)}`, text: 'All are in the report and the summary.' }
  return [...shown, ...(isMore ? [sum] : [])].map((annotation) => workflowCommand(kind, annotation, file))
}
