import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lackIn } from '../../../harness/common/lack.ts'
import type { ReportedResults } from '../../../reports/baseline.ts'
import { renderWorse } from '../../../reports/comparison.ts'
import type { Format } from '../../../reports/format-names.ts'
import { formats as renderers } from '../../../reports/formats.ts'
import { renderHtml } from '../../../reports/html.ts'
import { renderText } from '../../../reports/text.ts'
import type { NamedResults } from '../../../results/merge.ts'
import type { Results } from '../../../results/types.ts'
import { exitCodes } from '../../../verdicts/exit-codes.ts'
import type { Terminal } from '../terminal.ts'
import { judgedByBaseline } from './baseline.ts'
import { type Formats, isForPrograms } from './formats.ts'
import { codeOf } from './output-folders.ts'
import { reportFiles } from './record.ts'

interface ReportOptions {
  readonly formats: Formats
  /** Files of the formats, by path, as `openFormats` has them. */
  readonly files: ReadonlyMap<string, Format>
  /** The folder of `--out`; null without it. */
  readonly dir: string | null
  /** True if the text is only the verdict. */
  readonly quiet: boolean
  /** True if the run was interrupted: then standard output has only the formats that were asked for. */
  readonly interrupted?: boolean
  /** Results that decide the exit code by what is worse than in them. */
  readonly baseline?: NamedResults | null
}

/**
 * Reports results in every way that was asked for: standard output, the files of `--format`, the folder of `--out`, and
 * GitHub Actions if it runs this. Returns the exit code of the run, which is not 0 if a report could not be written. A full
 * disk leaves no partial report.
 */
export function report(results: Results, options: ReportOptions, terminal: Terminal): number {
  const { formats, dir, quiet, interrupted = false, baseline = null } = options
  const tell = isForPrograms(formats) ? terminal.err : terminal.out
  const usual: readonly Format[] = interrupted ? [] : ['text']
  const printed = formats.printed.length === 0 ? usual : formats.printed
  const shown: ReportedResults = baseline === null ? results : judgedByBaseline(baseline, results)
  for (const format of printed) terminal.out(printedText(format, shown, terminal, quiet))
  tellGithub(shown, formats, terminal)
  // The whole text has it already.
  if (shown.baseline !== undefined && (quiet || !printed.includes('text')))
    tell(renderWorse(shown.baseline, terminal.colors).trimEnd())
  const { exit } = shown.verdict
  if (!writeFiles(shown, options, terminal)) return exit === exitCodes.conformant ? exitCodes.incomplete : exit
  if (dir !== null) tell(`report: ${join(dir, 'report.html')}`)
  return exit
}

function printedText(format: Format, results: ReportedResults, { colors }: Terminal, quiet: boolean): string {
  if (format !== 'text') return renderers[format](results).trimEnd()
  return quiet ? results.verdict.line : renderText(results, colors).trimEnd()
}

/** Writes all files. False if the machine lacks something, such as space: then it says so. */
function writeFiles(results: ReportedResults, { files, dir }: ReportOptions, { err }: Terminal): boolean {
  const named = [...files].map(([file, format]) => [file, () => renderers[format](results)] as const)
  const usual = dir === null ? [] : textsOf(results).map(([name, text]) => [join(dir, name), text] as const)
  for (const [file, text] of [...usual, ...named]) {
    try {
      writeFileSync(file, text())
    } catch (error) {
      const lack = lackIn(error)
      if (lack === null) throw error
      for (const name of dir === null ? [] : reportFiles) rmSync(join(dir ?? '', name), { force: true })
      err(`plumbline: ${dir ?? file}: ${lack}, so no report is written; choose another place with --out or --format`)
      return false
    }
  }
  return true
}

/** The reports in the folder of `--out`, by name. */
function textsOf(results: ReportedResults): (readonly [name: string, text: () => string])[] {
  return [
    ['results.json', () => renderers.json(results)],
    ['junit.xml', () => renderers.junit(results)],
    ['report.html', () => renderHtml(results)],
  ]
}

/** The same, rendered. */
export function reportsOf(results: Results): (readonly [name: string, text: string])[] {
  return textsOf(results).map(([name, text]) => [name, text()] as const)
}

/** In GitHub Actions: annotations, unless they were asked for anyway, and the summary of the job. */
function tellGithub(results: ReportedResults, { printed, files }: Formats, { environment, err }: Terminal): void {
  const { GITHUB_ACTIONS: actions, GITHUB_STEP_SUMMARY: summary = '' } = environment
  if (actions !== 'true') return
  const isAsked = printed.includes('github') || files.some(({ format }) => format === 'github')
  // Commands are read from both streams, and standard output may hold a format for programs.
  if (!isAsked) err(renderers.github(results).trimEnd())
  if (summary === '') return
  try {
    appendFileSync(summary, renderers.markdown(results))
  } catch (error) {
    err(`plumbline: the job summary ${summary} cannot be written (${codeOf(error)}); all else is reported`)
  }
}
