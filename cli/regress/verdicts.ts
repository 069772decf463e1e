import type { NamedResults } from '../../results/merge.ts'
import type { Results } from '../../results/types.ts'
import type { Target } from '../../target/types.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import type * as commands from '../shared/options.ts'
import { checkFlags, prepareCheck } from '../shared/run/prepare-check.ts'
import { runCheck } from '../shared/run/run-check.ts'
import type { Terminal } from '../shared/terminal.ts'

type Options = commands.OptionsOf<typeof commands.regress>

/** A target file as it was named on the command line, and its target. */
export interface Named {
  readonly file: string
  readonly target: Target
}

/** Exit codes of a check whose results can be compared: a target that does not conform can be, too. */
const comparable: ReadonlySet<number> = new Set([
  exitCodes.conformant,
  exitCodes['not conformant'],
  exitCodes.incomplete,
])

/** Checks a target as `plumbline check` does. Returns the exit code if its results cannot be compared. */
export async function checked(
  { file, target }: Named,
  out: string | undefined,
  { only, profile, seed }: Options,
  terminal: Terminal,
): Promise<NamedResults | number> {
  const kept: Results[] = []
  const flags = checkFlags({ quiet: true, target: file, only, profile, seed, out })
  // Standard output is for the comparison alone.
  const prepared = await prepareCheck(flags, { ...terminal, out: terminal.err }, target)
  const exit = await runCheck({ ...prepared, onResults: (results) => kept.push(results) })
  const [results] = kept
  return results !== undefined && comparable.has(exit) ? { name: file, results } : exit
}
