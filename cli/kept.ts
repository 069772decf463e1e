import { readFileSync } from 'node:fs'
import { membersOf } from '../harness/exchange/read.ts'
import { serialiseResults } from '../results/build.ts'
import { keptRule, keptVerdict, keptWord } from '../results/kept.ts'
import { exitCodes, type Results } from '../results/types.ts'
import { digestsOf } from './digests.ts'
import { version } from './home.ts'
import type { Terminal } from './terminal.ts'

/** Tells each difference and what they come to. Answers the exit code: nothing that was kept can be relied on. */
export function tellDifferences(
  differences: readonly string[],
  { source, results }: { readonly source: string; readonly results: Results },
  { err }: Terminal,
): number {
  for (const difference of differences) err(difference)
  err(`plumbline: what was kept is not what ${source}; it was changed, or is damaged${byAnother(results)}`)
  return exitCodes.broken
}

/** Who may have judged it otherwise: an innocent reason for a difference. */
function byAnother({ run: { plumbline, digests } }: Results): string {
  if (plumbline !== version()) return `, or judged by another version (${keptWord(plumbline)}; this is ${version()})`
  const { suite, ledger } = digestsOf(null)
  return digests.suite === suite && digests.ledger === ledger ? '' : ', or judged by another state of the suite'
}

/** Where kept results are not the derived ones, byte for byte. */
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
  return found.length > 0 ? found : ['results.json has other bytes than the record gives']
}

function verdictsIn(text: string): ReadonlyMap<unknown, unknown> {
  try {
    const rules = membersOf(JSON.parse(text))?.rules
    return new Map((Array.isArray(rules) ? rules : []).map((rule) => [membersOf(rule)?.id, membersOf(rule)?.verdict]))
  } catch {
    return new Map()
  }
}
