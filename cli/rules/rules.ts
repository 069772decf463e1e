import { rules as ledger } from '../../generated/rules.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import { judgeFileOf } from '../../load/analyse/judge-file.ts'
import { loadDefects } from '../../load/defects.ts'
import type * as commands from '../shared/options.ts'
import { profilesOf, selectRules } from '../shared/run/selection.ts'
import type { Terminal } from '../shared/terminal.ts'
import { testFiles } from '../shared/test-files.ts'

type Options = commands.OptionsOf<typeof commands.rules>

/** Lists rules of the ledger: each with its needs, the file of its test, and the defects that prove it. */
export async function rules({ json, only }: Options, terminal: Terminal): Promise<number> {
  const selected = new Set(selectRules(ledger, { only, profiles: profilesOf(ledger) }))
  const tests = await testFiles()
  // It imports every suite, which would leave no import to tell the file of a rule.
  const { defects } = await import('../../proof/catalog.ts')
  const chosen = ledger.filter(({ id }) => selected.has(id))
  const listed = chosen.map((row) => ({
    ...row,
    test: tests.get(row.id) ?? judgeFileOf(row.id),
    defects: [...defects, ...loadDefects].filter(({ rule }) => rule === row.id).map((defect) => defect.id),
  }))
  if (json) {
    terminal.out(JSON.stringify(listed, null, 2))
    return 0
  }
  const { bold, dim } = terminal.colors
  for (const { id, level, basis, source, says, test, defects: proven } of listed) {
    terminal.out(
      `${bold(id)} ${dim(`${level}, ${basis}, ${source}; ${pluralize(proven.length, 'defect')}; ${test ?? 'no test'}`)}`,
    )
    terminal.out(`  ${says}`)
  }
  const areas = [...Map.groupBy(listed, ({ area }) => area)].map(([area, all]) => `${area} ${all.length}`)
  const tested = listed.filter(({ test }) => test !== null).length
  terminal.out(`${pluralize(listed.length, 'rule')}, ${tested} with a test: ${areas.join(', ')}`)
  return 0
}
