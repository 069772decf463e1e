import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'yaml'
import { rules as ledger } from '../../generated/rules.ts'
import { absenceOf, claimOf, needsOf } from '../../harness/claims/claims.ts'
import { allNeeds } from '../../harness/claims/needs.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import { allPlanes, sectionOf } from '../../harness/planes/index.ts'
import { embed } from '../../proof/instance.ts'
import type { Target } from '../../target/types.ts'
import type * as commands from '../shared/options.ts'
import { readTarget, withTarget } from '../shared/target.ts'
import type { Terminal } from '../shared/terminal.ts'
import { added, addition } from './additions.ts'

type Options = commands.OptionsOf<typeof commands.doctor>

/** Shows what a target file claims, which rules it leaves out, and what to add. Sends nothing. */
export async function doctor(options: Options, terminal: Terminal): Promise<number> {
  const { target: name } = withTarget(options, terminal)
  const target = name === undefined ? embed().target : await readTarget(name, terminal)
  const text = name === undefined ? '' : readFileSync(resolve(terminal.cwd, name), 'utf8')
  for (const line of diagnose(target, text)) terminal.out(line)
  return 0
}

/** The lines of the diagnosis; `text` is the target file as it was written. */
export function diagnose(target: Target, text: string): string[] {
  let file: unknown = parse(text)
  // Each hint is below those before it, so that all of them can be pasted in their order.
  const hint = (line: string) => {
    const said = addition(file, line)
    file = added(file, line)
    return said
  }
  const asked = [...new Set(ledger.flatMap((row): readonly string[] => [...needsOf(row), ...row.parts]))]
    .filter((need) => isOfGivenPlane(target, need))
    .sort()
  const groups = Map.groupBy(asked, (need) => {
    const claim = claimOf(target, need)
    return typeof claim === 'string' ? claim : 'absent'
  })
  const given = groups.get('given')?.map((need) => `  ${need}: ${allNeeds()[need]?.says ?? ''}`)
  const absent = groups.get('absent')?.map((need) => {
    return `  ${need}: ${absenceOf(target.absent, need)} (${affected(target, need).join(', ') || 'no rule'} not applicable)`
  })
  const isUnclaimed = (need: string) => claimOf(target, need) === 'unclaimed'
  const out = ledger.filter((row) => needsOf(row).some(isUnclaimed))
  const isJudged = (row: (typeof ledger)[number]) => needsOf(row).every((need) => claimOf(target, need) === 'given')
  const inPart = ledger.filter((row) => isJudged(row) && row.parts.some(isUnclaimed)).length
  return [
    `${[`${target.name}:`, ...addresses(target)].join(' ')}, clock ${target.clock === 'real' ? 'real' : 'controlled'}`,
    ...section('claimed', given),
    ...section('declared absent', absent),
    ...section(
      'unclaimed',
      groups.get('unclaimed')?.flatMap((need) => unclaimed(target, need, hint)),
    ),
    out.length === 0
      ? `all ${ledger.length} rules can be judged or are not applicable${inPart === 0 ? '' : `, ${inPart} of them in part`}`
      : `${out.length} of ${ledger.length} rules ${out.length === 1 ? 'is' : 'are'} left out as unclaimed` +
        (inPart === 0 ? '' : `, and a part of ${inPart} more`),
  ]
}

/** Each plane of the target with its address: `pods https://HOST`. */
function addresses(target: Target): string[] {
  return allPlanes().flatMap(({ name }) => {
    const section = sectionOf(target, name)
    return section === null ? [] : [section.url === null ? name : `${name} ${section.url}`]
  })
}

const planes: ReadonlySet<string> = new Set(allPlanes().map(({ name }) => name))

/** A plane itself, and all that a rule of a given plane asks for; the needs of other planes come once those are given. */
function isOfGivenPlane(target: Target, need: string): boolean {
  const isGiven = (plane: string) => claimOf(target, plane) === 'given'
  if (planes.has(need)) return true
  return ledger.some((row) => {
    const asked: readonly string[] = [...needsOf(row), ...row.parts]
    return asked.includes(need) && needsOf(row).every((one) => !planes.has(one) || isGiven(one))
  })
}

function unclaimed(target: Target, need: string, hint: (line: string) => string | null): string[] {
  const { says = '', line = null } = allNeeds()[need] ?? {}
  const out = rulesWith(target, need)
  const parts = partsWith(need)
  const absence = hint(`absent: {${need}: REASON}`)
  return [
    `  ${need}: ${says}`,
    ...(out.length === 0 ? [] : [`    leaves out ${pluralize(out.length, 'rule')}: ${someOf(out)}`]),
    ...(parts.length === 0 ? [] : [`    leaves out a part of ${pluralize(parts.length, 'rule')}: ${someOf(parts)}`]),
    ...(line === null ? [] : [`    to claim it, ${hint(line) ?? 'nothing more than what is added above'}`]),
    ...(absence === null ? [] : [`    if the target does not have it, ${absence}`]),
  ]
}

/** Up to eight ids; of more the first six, and how many follow. */
function someOf(ids: readonly string[]): string {
  return ids.length <= 8 ? ids.join(', ') : `${ids.slice(0, 6).join(', ')} and ${ids.length - 6} more`
}

/** Rules that need it, without those that another plane leaves out. */
function rulesWith(target: Target, need: string): string[] {
  const isOther = (one: string) => planes.has(one) && one !== need && claimOf(target, one) !== 'given'
  return ledger.filter((row) => needsOf(row).includes(need) && !needsOf(row).some(isOther)).map(({ id }) => id)
}

function partsWith(need: string): string[] {
  return ledger.filter(({ parts }) => parts.some((part) => part === need)).map(({ id }) => id)
}

/** Number of rules that need it, in whole and in part. */
function affected(target: Target, need: string): string[] {
  const [rules, parts] = [rulesWith(target, need).length, partsWith(need).length]
  return [
    ...(rules === 0 ? [] : [pluralize(rules, 'rule')]),
    ...(parts === 0 ? [] : [`a part of ${pluralize(parts, 'rule')}`]),
  ]
}

function section(title: string, lines: readonly string[] = []): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines]
}
