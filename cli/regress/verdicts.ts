import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import type * as commands from '../shared/options.ts'
import { moduleUrl } from '../shared/package-paths.ts'
import type { Terminal } from '../shared/terminal.ts'

type Options = commands.OptionsOf<typeof commands.regress>

/** Exit codes of a check after which nothing can be compared. */
const ending: ReadonlySet<number> = new Set([
  exitCodes.usage,
  exitCodes.broken,
  exitCodes.unreachable,
  exitCodes.interrupted,
])

/** Runs another command. Loaded on demand: it imports every command, this one included. */
async function runCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const module: typeof import('../shared/run.ts') = await import(moduleUrl('cli/shared/run'))
  return module.runCommand(words, terminal)
}

/** The folder in which a run keeps the check of a side. */
export function checkFolder(folder: string, side: 'baseline' | 'candidate'): string {
  return join(folder, `check-${side}`)
}

/** Removes the checks of an earlier run, which would count as those of a run without any. */
export function removeChecks(folder: string): void {
  for (const side of ['baseline', 'candidate'] as const)
    rmSync(checkFolder(folder, side), { recursive: true, force: true })
}

/**
 * Checks a target into a folder, as `plumbline check` does. Returns the exit code if nothing can be compared after it, else
 * null: a target that does not conform can be compared, too.
 */
export async function checked(
  target: string,
  out: string,
  { only, profile, seed }: Options,
  terminal: Terminal,
): Promise<number | null> {
  const flags = [
    ...only.flatMap((pattern) => ['--only', pattern]),
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(seed === undefined ? [] : ['--seed', String(seed)]),
  ]
  const code = await runCommand(['check', '--target', target, '--out', out, '--quiet', ...flags], toErrors(terminal))
  return ending.has(code) ? code : null
}

/** How the verdicts and readings of two checks differ, and the exit code of that: 1 if the second is worse. */
export async function compareVerdicts(
  before: string,
  after: string,
  terminal: Terminal,
): Promise<{ readonly exit: number; readonly text: string }> {
  const lines: string[] = []
  const exit = await runCommand(['compare', before, after], { ...terminal, out: (text) => lines.push(text) })
  return { exit, text: lines.join('\n') }
}

/** Standard output is for the comparison alone. */
function toErrors(terminal: Terminal): Terminal {
  return { ...terminal, out: terminal.err }
}
