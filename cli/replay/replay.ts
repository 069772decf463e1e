import { join, resolve } from 'node:path'
import { keptWord } from '../../results/kept.ts'
import type { Results } from '../../results/types.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { BrokenError, UsageError } from '../shared/errors.ts'
import type * as commands from '../shared/options.ts'
import { version } from '../shared/package-paths.ts'
import { digestsOf } from '../shared/records/digests.ts'
import { type Formats, isForPrograms, openFormats, parseFormats } from '../shared/records/formats.ts'
import { judgeAgain } from '../shared/records/judge-again.ts'
import { isFile } from '../shared/records/output-folders.ts'
import { prepareOutput } from '../shared/records/record.ts'
import { report } from '../shared/records/report.ts'
import { withOutput } from '../shared/run/lock.ts'
import { type VendorRules, vendorRulesOf } from '../shared/run/vendor-rules.ts'
import type { Terminal } from '../shared/terminal.ts'
import { cutOffOf } from './cut-off.ts'
import { completeEmitted } from './emitted.ts'

type Options = commands.OptionsOf<typeof commands.replay>

/**
 * Judges a record again, without the target, by the same rules. Returns the exit code of the run. A record without its end
 * is not judged. If the
 * results beside the record differ from what it gives, reports each difference and returns the code of `broken`.
 */
export async function replay(folder: string, options: Options, terminal: Terminal): Promise<number> {
  const formats = parseFormats(options.format)
  return withOutput(terminal.cwd, options.out, () => judgedAgain(folder, formats, options, terminal))
}

async function judgedAgain(folder: string, formats: Formats, options: Options, terminal: Terminal): Promise<number> {
  const files = openFormats(formats, terminal.cwd, options.out)
  const dir = resolve(terminal.cwd, folder)
  if (!isFile(join(dir, 'evidence.ndjson'))) {
    throw new UsageError(`${folder} is not a folder with evidence.ndjson; check and load write one with --out FOLDER`)
  }
  await completeEmitted(dir, folder)
  const vendor = await vendorRulesOf(options.rules, terminal.cwd)
  const kept = join(dir, 'results.json')
  // Before --out writes there.
  const isBesideKept = isFile(kept)
  const { results, isWhole, differences } = await judgeAgain(dir, vendor)
  if (!isWhole) {
    const { message, isDamaged } = cutOffOf(dir)
    if (isDamaged) throw new BrokenError(message)
    if (options.out !== undefined && isBesideKept && resolve(terminal.cwd, options.out) === dir) {
      throw new UsageError(
        `${message}; --out ${options.out} would replace those verdicts by none, so give another folder`,
      )
    }
    terminal.err(`plumbline: ${message}`)
  }
  const out = options.out === undefined ? null : resolve(terminal.cwd, options.out)
  const outFolder = out === null ? null : prepareOutput(terminal.cwd, out, out === dir)
  const exit = report(results, { formats, files, dir: outFolder, quiet: false }, terminal)
  if (isWhole && isBesideKept && differences.length === 0) {
    const tell = isForPrograms(formats) ? terminal.err : terminal.out
    tell('results.json beside the record matches the record')
  }
  if (differences.length === 0) return exit
  for (const difference of differences) terminal.err(difference)
  terminal.err(
    `plumbline: the kept files differ from what the recorded exchanges give; they were changed or are damaged${byAnother(results, vendor)} (exit ${exitCodes.broken})`,
  )
  return exitCodes.broken
}

/** Another version or suite, as a harmless reason for a difference. */
function byAnother({ run: { plumbline, digests } }: Results, vendor: VendorRules): string {
  if (plumbline !== version()) return `, or judged by another version (${keptWord(plumbline)}; this is ${version()})`
  const { suite, ledger } = digestsOf(null, vendor)
  return digests.suite === suite && digests.ledger === ledger ? '' : ', or judged by another state of the suite'
}
