import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { jsonIn } from '../../harness/exchange/exchange.ts'
import { canonical, membersOf } from '../../harness/exchange/read.ts'
import { isJudged, type JudgedEvent } from '../../harness/record/events.ts'
import { InvalidRecord } from '../../harness/record/read.ts'
import { replayLoad } from '../../load/record.ts'
import { serialiseResults } from '../../results/build.ts'
import { keptRule, keptVerdict, keptWord } from '../../results/kept.ts'
import type { Results } from '../../results/types.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { digestsOf } from '../shared/digests.ts'
import { BrokenError, UsageError } from '../shared/errors.ts'
import { type Formats, isForPrograms, openFormats, parseFormats } from '../shared/formats.ts'
import { withOutput } from '../shared/lock.ts'
import type * as commands from '../shared/options.ts'
import { isFile } from '../shared/output-folders.ts'
import { moduleUrl, version } from '../shared/package-paths.ts'
import { prepareOutput, resultsOf } from '../shared/record.ts'
import { report } from '../shared/report.ts'
import type { Terminal } from '../shared/terminal.ts'
import { type VendorRules, vendorRulesOf } from '../shared/vendor-rules.ts'
import { cutOffOf } from './cut-off.ts'
import { createEvidenceCheck } from './evidence-check.ts'

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
    throw new UsageError(`${folder} has no evidence.ndjson; check --out FOLDER and load --out FOLDER write one`)
  }
  await import(moduleUrl('suites/all'))
  const vendor = await vendorRulesOf(options.rules, terminal.cwd)
  const { replay: again } = await import('../../harness/run/replay.ts')
  const { results, events, stated } = await again(dir, { load: replayLoad, check: createEvidenceCheck() })
    .then(async (replayed) => ({ ...replayed, results: await resultsOf(dir, vendor, replayed.events) }))
    .catch((error: unknown) => {
      throw error instanceof InvalidRecord ? new UsageError(error.message) : error
    })
  const isWhole = results.verdict.exit !== exitCodes.interrupted
  const kept = join(dir, 'results.json')
  if (!isWhole) {
    const { message, isDamaged } = cutOffOf(dir)
    if (isDamaged) throw new BrokenError(message)
    if (options.out !== undefined && isFile(kept) && resolve(terminal.cwd, options.out) === dir) {
      throw new UsageError(
        `${message}; --out ${options.out} would replace those verdicts by none, so give another folder`,
      )
    }
    terminal.err(`plumbline: ${message}`)
  }
  const isBesideKept = isFile(kept)
  const differences = isWhole
    ? [...statedOtherwise(stated, events.filter(isJudged)), ...(isBesideKept ? differencesOf(kept, results) : [])]
    : []
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

/** Rules whose verdict, findings or readings in the record are not what its exchanges give. */
function statedOtherwise(stated: readonly JudgedEvent[], given: readonly JudgedEvent[]): string[] {
  const [before, now] = [byRule(stated), byRule(given)]
  return [...new Set([...before.keys(), ...now.keys()])].flatMap((rule) => {
    const [was, is] = [before.get(rule) ?? [], now.get(rule) ?? []]
    if (linesOf(was) === linesOf(is)) return []
    const [kept, derived] = [verdictOf(was), verdictOf(is)]
    return [
      kept === derived
        ? `evidence.ndjson: ${keptRule(rule)} has findings or readings that its exchanges do not give, or lacks some`
        : `evidence.ndjson: the verdict of ${keptRule(rule)} is ${kept}, but its exchanges give ${derived}`,
    ]
  })
}

function byRule(events: readonly JudgedEvent[]): ReadonlyMap<string, readonly JudgedEvent[]> {
  return Map.groupBy(events, ({ rule }) => rule)
}

/** Events as text that does not depend on their order. */
function linesOf(events: readonly JudgedEvent[]): string {
  return events
    .map((event) => canonical(event))
    .sort()
    .join('\n')
}

function verdictOf(events: readonly JudgedEvent[]): string {
  const verdicts = events.flatMap((event) => (event.type === 'verdict' ? keptVerdict(event.verdict) : []))
  return verdicts.length === 0 ? 'missing' : verdicts.join(' and ')
}

/** Differences between kept and derived results, byte for byte. */
function differencesOf(file: string, results: Results): string[] {
  const text = readFileSync(file, 'utf8')
  if (text === serialiseResults(results)) return []
  const kept = verdictsIn(text)
  const found = results.rules
    .filter(({ id, verdict }) => kept.get(id) !== verdict)
    .map(
      ({ id, verdict }) =>
        `results.json: ${keptRule(id)} was kept as ${keptVerdict(kept.get(id))}, and the record gives ${verdict}`,
    )
  return found.length > 0 ? found : ['results.json differs in bytes from what the record gives']
}

function verdictsIn(text: string): ReadonlyMap<unknown, unknown> {
  const rules = membersOf(jsonIn(text))?.rules
  return new Map((Array.isArray(rules) ? rules : []).map((rule) => [membersOf(rule)?.id, membersOf(rule)?.verdict]))
}
