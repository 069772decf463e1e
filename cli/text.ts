import { renderText } from '../reports/text.ts'
import type { Results } from '../results/types.ts'
import type { Terminal } from './terminal.ts'

/** Prints results as text on standard output: failures first, the verdict last. Quiet: only the verdict. */
export function printResults(
  results: Results,
  { out, colors }: Terminal,
  { quiet }: { readonly quiet: boolean },
): void {
  out(quiet ? results.verdict.line : renderText(results, colors).trimEnd())
}
