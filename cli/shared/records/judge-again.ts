import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsonIn } from '../../../harness/exchange/exchange.ts'
import { canonical, membersOf } from '../../../harness/exchange/read.ts'
import { isJudged, type JudgedEvent, type RunEvent } from '../../../harness/record/events.ts'
import { InvalidRecord } from '../../../harness/record/read.ts'
import { allRules } from '../../../harness/rule/registry.ts'
import { replayLoad } from '../../../load/record.ts'
import { serialiseResults } from '../../../results/build.ts'
import { keptRule, keptVerdict } from '../../../results/kept.ts'
import type { Results } from '../../../results/types.ts'
import { clientRules } from '../../../traffic/client-rules.ts'
import { isAboutClients, trafficRow } from '../../../traffic/session.ts'
import { exitCodes } from '../../../verdicts/exit-codes.ts'
import { UsageError } from '../errors.ts'
import { moduleUrl } from '../package-paths.ts'
import type { VendorRules } from '../run/vendor-rules.ts'
import { clientVendor } from '../traffic/traffic.ts'
import { createEvidenceCheck } from './evidence-check.ts'
import { isFile } from './output-folders.ts'
import { resultsOf } from './record.ts'

/** A record and the results that its exchanges give. */
export interface JudgedAgain {
  readonly run: RunEvent
  readonly results: Results
  /** The verdicts, findings and readings that the exchanges give. */
  readonly judged: readonly JudgedEvent[]
  /** False if the record has no end. */
  readonly isWhole: boolean
  /** Where the record and the results beside it, if any, say something else: file, rule, both verdicts. */
  readonly differences: readonly string[]
}

/** Judges the record in `dir` again, without the target. Throws UsageError if it is not a record. */
export async function judgeAgain(dir: string, vendor?: VendorRules): Promise<JudgedAgain> {
  await import(moduleUrl('suites/all'))
  const { replay } = await import('../../../harness/run/replay.ts')
  try {
    const known = { rules: [...allRules(), ...clientRules], rowOf: trafficRow, load: replayLoad }
    const { run, events, stated } = await replay(dir, { ...known, check: createEvidenceCheck() })
    const rows = run.rules.some(isAboutClients) ? clientVendor : vendor
    const results = await resultsOf(dir, rows, events)
    const judged = events.filter(isJudged)
    const isWhole = results.verdict.exit !== exitCodes.interrupted
    const kept = join(dir, 'results.json')
    const differences = isWhole
      ? [...statedOtherwise(stated, judged), ...(isFile(kept) ? differencesOf(kept, results) : [])]
      : []
    return { run, results, judged, isWhole, differences }
  } catch (error) {
    throw error instanceof InvalidRecord ? new UsageError(error.message) : error
  }
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
