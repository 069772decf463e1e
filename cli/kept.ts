import { readFileSync } from 'node:fs'
import { jsonIn } from '../harness/exchange/exchange.ts'
import { membersOf } from '../harness/exchange/read.ts'
import { serialiseResults } from '../results/build.ts'
import { keptRule, keptVerdict, keptWord } from '../results/kept.ts'
import { exitCodes, type Results } from '../results/types.ts'
import { digestsOf } from './digests.ts'
import { version } from './home.ts'
import type { Terminal } from './terminal.ts'

/** Reports each difference and returns the exit code: the kept files are unreliable. */
export function tellDifferences(
  differences: readonly string[],
  { source, results }: { readonly source: string; readonly results: Results },
  { err }: Terminal,
): number {
  for (const difference of differences) err(difference)
  err(`plumbline: the kept files differ from what ${source}; they were changed or are damaged${byAnother(results)}`)
  return exitCodes.broken
}

/** Another version or suite, as a harmless reason for a difference. */
function byAnother({ run: { plumbline, digests } }: Results): string {
  if (plumbline !== version()) return `, or judged by another version (${keptWord(plumbline)}; this is ${version()})`
  const { suite, ledger } = digestsOf(null)
  return digests.suite === suite && digests.ledger === ledger ? '' : ', or judged by another state of the suite'
}

/** Differences between kept and derived results, byte for byte. */
export function differencesOf(file: string, results: Results): string[] {
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
