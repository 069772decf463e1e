import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type RuleRow, rules } from '../../generated/rules.ts'
import { needsOf } from '../../harness/claims/claims.ts'
import { allNeeds } from '../../harness/claims/needs.ts'
import { planeOfRule } from '../../harness/planes/index.ts'
import { judgedByLoad } from '../../harness/rule/load-rules.ts'
import { allRules } from '../../harness/rule/registry.ts'
import { judgeFileOf } from '../../load/analyse/judge-file.ts'
import { unknownRule } from '../../target-file/nearest.ts'
import { UsageError } from '../shared/errors.ts'
import type * as commands from '../shared/options.ts'
import { packageFolder, program } from '../shared/package-paths.ts'
import type { Terminal } from '../shared/terminal.ts'
import { testFiles } from '../shared/test-files.ts'
import { requestsOnReference } from './requests.ts'

type Options = commands.OptionsOf<typeof commands.explain>

/** Prints all that is known of a rule. */
export async function explain(id: string, _: Options, { out, colors }: Terminal): Promise<number> {
  const row = rowOf(id)
  const test = (await testFiles()).get(id) ?? judgeFileOf(row.id)
  const { bold, dim } = colors
  out(`${bold(id)}  ${dim(`${row.level}, ${row.basis}, profile ${row.profile}`)}`)
  out(`  ${row.says}`)
  out(dim(`  heading "${row.source}" of the API description; judged in ${test ?? 'no file'}`))
  if (row.judged !== null) out(`  how it is judged: ${row.judged}`)
  if (row.wait !== null) out(`  waits ${row.wait} on the clock of the target`)
  const sections: [heading: string, lines: readonly string[]][] = [
    ['needs', needsOf(row).map(needLine)],
    ['needs of parts, without which the rest is judged', row.parts.map(needLine)],
    ['requests to the reference', await requestsOf(row)],
    ['clauses, with the defects that prove them', await clausesOf(id)],
    ['what to do', adviceFor(row)],
  ]
  for (const [heading, lines] of sections.filter(([, { length }]) => length > 0)) {
    out('')
    out(bold(heading))
    for (const line of lines) out(`  ${line}`)
  }
  return 0
}

/** The row of a rule. Throws UsageError for an unknown id, and says why a retired one is gone. */
function rowOf(id: string): (typeof rules)[number] {
  const row = rules.find((one) => one.id === id)
  if (row !== undefined) return row
  const retired: { id: string; why: string; replacedBy?: string }[] =
    parse(readFileSync(join(packageFolder, 'spec', 'rules', 'retired.yaml'), 'utf8')) ?? []
  const gone = retired.find((one) => one.id === id)
  if (gone === undefined) {
    const known: string[] = rules.map((one) => one.id)
    throw new UsageError(unknownRule(id, known))
  }
  const by = gone.replacedBy === undefined ? '' : `; ${gone.replacedBy} took its place`
  throw new UsageError(`${id} is retired: ${gone.why}${by}`)
}

function needLine(need: string): string {
  return `${need}: ${allNeeds()[need]?.says ?? 'the plane itself'}`
}

async function requestsOf({ id }: RuleRow): Promise<readonly string[]> {
  if (judgedByLoad.has(id)) return ['k6 sends them (docs/load.md)']
  const rule = allRules().find((one) => one.id === id)
  if (rule?.kind === 'invariant') return [`none of its own: it judges every exchange of ${planeOfRule(id).name}`]
  return rule === undefined ? [] : requestsOnReference(rule)
}

/** The clauses of a rule, each with its defects: every clause has one. */
async function clausesOf(id: string): Promise<string[]> {
  const { defects } = await import('../../proof/catalog.ts')
  const { loadDefects } = await import('../../load/defects.ts')
  const own = [...defects, ...loadDefects].filter(({ rule }) => rule === id)
  const clauses = Map.groupBy(own, (defect) => ('clause' in defect ? defect.clause : 'the rate'))
  return [...clauses].flatMap(([clause, all]) => [clause, ...all.map(({ id, says }) => `  ${id}: ${says}`)])
}

function adviceFor({ id, profile }: RuleRow): string[] {
  const load = planeOfRule(id).load
  const rerun = judgedByLoad.has(id)
    ? `${program} load ${load ?? 'limits'} --target FILE --only ${id}`
    : `${program} check --target FILE --only ${id} --profile ${profile}`
  return [
    `rerun it:               ${rerun}`,
    `accept it until a day:  ${program} accept RUN ${id} --until YYYY-MM-DD --reason TEXT`,
  ]
}
