import { namedRules } from '../harness/common/areas.ts'
import { firstFew } from '../harness/common/first-few.ts'
import { lengthOf } from '../harness/common/length.ts'
import { pluralize } from '../harness/common/pluralize.ts'
import { type Change, type Comparison, changeKinds } from '../results/compare.ts'
import { type Paint, plain } from './paint.ts'
import { codeSpan, visible } from './sort.ts'

/** Up to so many changes of time are listed. */
const listedTimes = 10

/** The whole comparison as text: the runs, each kind of change, the verdict last. Ends with a newline. */
export function renderComparison(comparison: Comparison, paint: Paint = plain): string {
  return joined([runLines(comparison).join('\n'), renderChanges(comparison, paint)])
}

/** The part of a comparison that decides: what is worse, and the verdict. Ends with a newline. */
export function renderWorse(comparison: Comparison, paint: Paint = plain): string {
  const changes = comparison.changes.filter(({ isWorse }) => isWorse)
  return renderChanges({ ...comparison, changes }, paint, verdictOf(comparison))
}

function renderChanges(comparison: Comparison, paint: Paint, [line, rest] = verdictOf(comparison)): string {
  const colour = comparison.isWorse ? paint.red : paint.green
  const caveats = comparison.caveats.map((caveat) => `${paint.yellow('note')}  ${visible(caveat)}`).join('\n')
  const sections = sectionsOf(comparison).map(({ heading, isWorse, lines }) =>
    [
      (isWorse ? paint.red : paint.bold)(heading),
      ...lines.flatMap(({ rule, change, note }, at) => [
        `  ${paint.bold(rule)}  ${paint.dim(change)}`,
        // Many rules may have one reason, which is printed after the last of them.
        ...(note === null || note === lines[at + 1]?.note ? [] : [`    ${note}`]),
      ]),
    ].join('\n'),
  )
  return joined([caveats, ...sections, `${colour(paint.bold(line))}: ${rest}`])
}

function joined(parts: readonly string[]): string {
  return `${parts
    .map((part) => part.trimEnd())
    .filter((part) => part !== '')
    .join('\n\n')}\n`
}

/** The same in Markdown, for a comment on a change. Ends with a newline. */
export function renderComparisonMarkdown(comparison: Comparison): string {
  const [line, rest] = verdictOf(comparison)
  const sections = sectionsOf(comparison).map(({ heading, lines }) =>
    [
      `#### ${heading}`,
      ...(lines.length === 0 ? [] : ['']),
      ...lines.map(
        ({ rule, change, note }) => `- ${codeSpan(rule)} ${change}${note === null ? '' : `: ${codeSpan(note)}`}`,
      ),
    ].join('\n'),
  )
  const facts = [...comparison.caveats.map(visible), ...runLines(comparison)].map(
    (fact) => `- ${codeSpan(fact.trim())}`,
  )
  return `${[`### Plumbline: ${line}`, `${rest}.`, ...sections, '#### runs', facts.join('\n')].join('\n\n')}\n`
}

/** How a run compares with its baseline, and what became worse, in one line. */
export function comparisonLine(comparison: Comparison): string {
  const worse = comparison.changes.filter(({ isWorse }) => isWorse).map(({ rule, kind }) => `${rule} ${kind}`)
  return `${verdictOf(comparison).join(': ')}${worse.length === 0 ? '' : `; worse: ${firstFew(worse, namedRules)}`}`
}

/** The line that sums up a comparison, such as `no worse than report: 40 known failures, 0 new`, in two parts. */
function verdictOf({ old, changes, stillFailing, isWorse }: Comparison): readonly [line: string, rest: string] {
  const count = (kind: Change['kind']) => changes.filter((change) => change.kind === kind).length
  const counts = changeKinds
    .filter((kind) => kind !== 'newly failing' && count(kind) > 0)
    .map((kind) => `${count(kind)} ${kind}`)
  const failures = `${pluralize(stillFailing.length, 'known failure')}, ${count('newly failing')} new`
  return [`${isWorse ? 'worse' : 'no worse'} than ${visible(old.name)}`, [failures, ...counts].join(', ')]
}

/** Each run with its verdict on a line of its own. */
function runLines({ old, new: newer }: Comparison): string[] {
  return [old, newer].flatMap(({ name, id, plumbline, target, startedMs, lengthMs, seed, verdict }) => {
    const drawn = seed === null ? '' : `, seed ${seed}`
    const run = `${name}: run ${id} of plumbline ${plumbline} on ${target}, ${new Date(startedMs).toISOString().slice(0, 16)}, took ${lengthOf(lengthMs)} of the target's time${drawn}`
    return [visible(run), `  ${visible(verdict.line)}`]
  })
}

/** The changes of each kind, with texts that can be printed. */
function sectionsOf({ changes }: Comparison) {
  return [...Map.groupBy(changes, ({ kind }) => kind)].map(([kind, all]) => {
    const listed = kind === 'changed time' ? all.slice(0, listedTimes) : all
    const rest = all.length - listed.length
    return {
      heading: `${kind}: ${all.length}${rest === 0 ? '' : `, ${rest} of them only in --format json`}`,
      isWorse: all.some(({ isWorse }) => isWorse),
      lines: listed.map(({ rule, was, is, note }) => ({
        rule,
        change: was === is ? is : `${was} → ${is}`,
        note: note === null ? null : visible(note),
      })),
    }
  })
}
