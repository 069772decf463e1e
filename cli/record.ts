import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { rules } from '../generated/rules.ts'
import { renderHtml, renderJunit } from '../reports/index.ts'
import type { EvidenceEvent } from '../suites/harness/record/events.ts'
import { readEvidence, toExchange } from '../suites/harness/record/read.ts'
import { buildResults, serialiseResults } from '../suites/harness/results/build.ts'
import type { Results } from '../suites/harness/results/types.ts'
import { UsageError } from './errors.ts'

/** Names that a run writes into its output folder; those of an earlier run are taken away first. */
const written = ['results.json', 'junit.xml', 'report.html', 'evidence.ndjson'] as const

/** The results of the record in `dir`: of its own verdicts, or of `derived` ones in their place. */
export function resultsOf(dir: string, derived?: readonly EvidenceEvent[]): Promise<Results> {
  return buildResults(() => (derived === undefined ? readEvidence(dir) : withDerived(dir, derived)), {
    ledger: rules,
    open: (event) => toExchange(dir, event),
  })
}

/** Makes the folder and takes away what an earlier run wrote into it. Throws UsageError where it is a file. */
export function prepareOutput(cwd: string, folder: string, keepEvidence = false): string {
  const dir = resolve(cwd, folder)
  if (existsSync(dir) && !statSync(dir).isDirectory()) throw new UsageError(`--out ${folder} is a file; name a folder`)
  mkdirSync(dir, { recursive: true })
  for (const name of written) {
    if (!(keepEvidence && name === 'evidence.ndjson')) rmSync(join(dir, name), { force: true })
  }
  const bodies = join(dir, 'bodies')
  if (!keepEvidence && existsSync(bodies)) {
    for (const name of readdirSync(bodies).filter((file) => /^\d+\.bin$/.test(file))) rmSync(join(bodies, name))
  }
  return dir
}

/** Writes every form of the results into `dir`: JSON, JUnit and HTML. */
export function writeReports(dir: string, results: Results): void {
  writeFileSync(join(dir, 'results.json'), serialiseResults(results))
  writeFileSync(join(dir, 'junit.xml'), renderJunit(results))
  writeFileSync(join(dir, 'report.html'), renderHtml(results))
}

const judged: ReadonlySet<EvidenceEvent['type']> = new Set(['reading', 'finding', 'verdict'])

/** The record as it is, but with the judgements of `derived`, which come before its end. */
async function* withDerived(dir: string, derived: readonly EvidenceEvent[]): AsyncGenerator<EvidenceEvent> {
  const ends: EvidenceEvent[] = []
  for await (const event of readEvidence(dir)) {
    if (event.type === 'end') ends.push(event)
    else if (!judged.has(event.type)) yield event
  }
  yield* derived.filter(({ type }) => judged.has(type))
  yield* ends
}
