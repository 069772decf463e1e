import type { TargetFile } from '../generated/target-file.ts'

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
  /** Rules that take longer are left out, ms; default: eight minutes in real time. */
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
