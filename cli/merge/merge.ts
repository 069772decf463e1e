import { dirname, resolve } from 'node:path'
import { rules } from '../../generated/rules.ts'
import { mergeResults, type NamedResults, NotMergeable } from '../../results/merge.ts'
import type { Results } from '../../results/types.ts'
import { UsageError } from '../shared/errors.ts'
import type * as commands from '../shared/options.ts'
import { openFormats, parseFormats } from '../shared/records/formats.ts'
import { resultsFile, resultsReader } from '../shared/records/read-results.ts'
import { prepareOutput } from '../shared/records/record.ts'
import { report } from '../shared/records/report.ts'
import { withOutput } from '../shared/run/lock.ts'
import type { Terminal } from '../shared/terminal.ts'

type Options = commands.OptionsOf<typeof commands.merge>

/** Joins the results of separate runs of one target and writes their reports. Answers the exit code of the whole. */
export async function merge(folders: readonly string[], options: Options, terminal: Terminal): Promise<number> {
  const formats = parseFormats(options.format)
  const out = resolve(terminal.cwd, options.out)
  const own = folders.find((folder) => dirname(resultsFile(terminal.cwd, folder)) === out)
  if (own !== undefined) throw new UsageError(`--out ${options.out} is one of the folders to merge; choose another one`)
  const read = resultsReader(terminal.cwd)
  const merged = joined(folders.map((folder) => read(folder)))
  return withOutput(terminal.cwd, options.out, async () => {
    const dir = prepareOutput(terminal.cwd, options.out)
    const files = openFormats(formats, terminal.cwd, options.out)
    return report(merged, { formats, files, dir, quiet: options.quiet }, terminal)
  })
}

function joined(all: readonly NamedResults[]): Results {
  try {
    return mergeResults(all, rules)
  } catch (error) {
    if (error instanceof NotMergeable) throw new UsageError(error.message)
    throw error
  }
}
