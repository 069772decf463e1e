import { stringify } from 'yaml'
import type { TargetFile } from '../generated/target-file.ts'
import type { Results } from '../results/types.ts'

export type { Results }

/** The path of a target file, its content (keys as `${NAME}`), or the built-in reference. */
export type CheckTarget = string | TargetFile | { readonly reference: true }

/** Options of `check`; each does as the flag of that name. */
export interface CheckOptions {
  /** Ids, globs over ids, or areas; default: all rules of the profiles. */
  readonly only?: readonly string[]
  /** Profiles to judge; default: core, of the reference all. */
  readonly profiles?: readonly string[]
  /** The folder of a vendor's own rules. */
  readonly rules?: string
  /** The seed of the order and the random choices; default: another one in each run. */
  readonly seed?: number
  /** Unclaimed rules make the run incomplete. */
  readonly strict?: boolean
  /** Rules that take longer are left out, ms; default: five minutes in real time. */
  readonly budgetMs?: number
  /** Refuses a run that is planned to cost more, and ends one that costs more, USD. */
  readonly maxCost?: number
  /** The folder for record, results and reports; default: nothing is kept. */
  readonly out?: string
  /** Ends the run and removes what it created; `check` then rejects with the reason of the signal. */
  readonly signal?: AbortSignal
  /** Receives each line that the command prints on standard error, without secrets. */
  readonly onLine?: (line: string) => void
  /** Values for `${NAME}` in the target file; default: the environment of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** The folder that paths are relative to and that keeps the ledger of resources; default: the working folder. */
  readonly cwd?: string
}

/**
 * Judges a target as `plumbline check` does, in a process of its own, and returns the results as `results.json` has them.
 * Prints nothing and ends no process. Secrets are masked.
 * @throws an error with one sentence if nothing can be judged, such as an unknown rule or an invalid target file.
 */
export async function check(target: CheckTarget, options: CheckOptions = {}): Promise<Results> {
  const { signal = new AbortController().signal, onLine = () => {}, environment, ...given } = options
  signal.throwIfAborted()
  const { quietTerminal } = await import('./terminal.ts')
  const { cwd, only = [], profiles, strict = false, rules, seed, budgetMs, maxCost, out } = given
  let lastLine = 'the run has no results'
  const terminal = quietTerminal(
    (line) => {
      lastLine = line.replace(/^plumbline: /, '')
      onLine(line)
    },
    { cwd, environment },
  )
  const flags = {
    ...(typeof target === 'string' && { target }),
    reference: typeof target === 'object' && 'reference' in target,
    only: [...only],
    ...(profiles !== undefined && { profile: profiles.join(',') }),
    ...Object.fromEntries(
      Object.entries({ rules, seed, budget: budgetMs, maxCost, out }).filter(([, value]) => value !== undefined),
    ),
    ...{ strict, keep: false, quiet: false, failFast: false, format: [] },
  }
  let results: Results | null = null
  try {
    const { prepareCheck } = await import('../cli/check/check.ts')
    const prepared = await prepareCheck(flags, terminal, await contentOf(target, terminal))
    signal.throwIfAborted()
    const { interruptedBy } = await import('../cli/shared/interrupt.ts')
    const { runCheck } = await import('../cli/shared/run-check.ts')
    await runCheck({
      ...prepared,
      interruption: interruptedBy(signal),
      onResults(given) {
        results = given
      },
    })
  } catch (error) {
    if (error instanceof Error) error.message = terminal.clean(error.message)
    throw error
  }
  signal.throwIfAborted()
  if (results === null) throw new Error(lastLine)
  return results
}

/** The target of a target file that is given as a value; undefined for any other. */
async function contentOf(
  target: CheckTarget,
  { environment, hide }: Pick<import('../cli/shared/terminal.ts').Terminal, 'environment' | 'hide'>,
) {
  if (typeof target === 'string' || 'reference' in target) return undefined
  const { parseTarget } = await import('../target-file/load.ts')
  const { redactorOf } = await import('../harness/record/describe.ts')
  const parsed = parseTarget(stringify(target), { file: 'the target', environment })
  hide?.(redactorOf(parsed).text)
  return parsed
}
