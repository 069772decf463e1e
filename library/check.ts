import { stringify } from 'yaml'
import type { Results } from '../results/types.ts'

import type { CheckOptions, CheckTarget } from './options.ts'

export type { CheckOptions, CheckTarget, Results }

/**
 * Judges a target as `plumbline check` does, in a process of its own, and returns the results as `results.json` has them.
 * Prints nothing and ends no process. Secrets are masked.
 * @throws an error with one sentence if nothing can be judged, such as an unknown rule or an invalid target file.
 */
export async function check(target: CheckTarget, options: CheckOptions = {}): Promise<Results> {
  const { signal = new AbortController().signal, onLine = () => {}, environment, ...given } = options
  const { cwd, only = [], profiles, strict = false, rules, seed, budgetMs, maxCost, out, ...others } = given
  refuseInvalid(target, others)
  signal.throwIfAborted()
  const { quietTerminal } = await import('./terminal.ts')
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
    const { prepareCheck } = await import('../cli/shared/run/prepare-check.ts')
    const prepared = await prepareCheck(flags, terminal, await contentOf(target, terminal))
    signal.throwIfAborted()
    const { interruptedBy } = await import('../cli/shared/interrupt.ts')
    const { runCheck } = await import('../cli/shared/run/run-check.ts')
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

/** Throws for a target or an option that `check` does not have: otherwise a mistyped one would run every rule. */
function refuseInvalid(target: unknown, others: object): void {
  if (typeof target !== 'string' && (typeof target !== 'object' || target === null))
    throw new TypeError('expected the path of a target file, its content, or {reference: true}')
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new TypeError(`unknown option "${unknown}"`)
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
