import type { TargetFile } from '../generated/target-file.ts'
import { show } from '../harness/exchange/read.ts'
import { suggestion } from '../target-file/nearest.ts'

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

type Form = readonly [expected: string, is: (value: unknown) => boolean]

const text: Form = ['a text', (value) => typeof value === 'string']
const texts: Form = ['a list of texts', (value) => Array.isArray(value) && value.every(text[1])]
const truth: Form = ['true or false', (value) => typeof value === 'boolean']

const forms: Readonly<Record<keyof CheckOptions, Form>> = {
  only: texts,
  profiles: texts,
  rules: text,
  seed: ['an integer of at least 0', (value) => Number.isSafeInteger(value) && Number(value) >= 0],
  strict: truth,
  budgetMs: ['a number above 0', (value) => typeof value === 'number' && value > 0],
  maxCost: ['an amount of USD', (value) => typeof value === 'number' && value >= 0],
  out: text,
  signal: ['an AbortSignal', (value) => value instanceof AbortSignal],
  onLine: ['a function', (value) => typeof value === 'function'],
  environment: ['an object of texts', isObject],
  cwd: text,
}

/** Throws for a target or an option that `check` does not take: otherwise a mistyped one would run every rule. */
export function refuseInvalid(target: unknown, options: Readonly<Record<string, unknown>>): void {
  if (typeof target !== 'string' && !isObject(target)) {
    throw new TypeError(`expected the path of a target file, its content, or {reference: true}, got ${show(target)}`)
  }
  for (const [name, value] of Object.entries(options)) {
    const form = Object.hasOwn(forms, name) ? forms[name as keyof CheckOptions] : undefined
    if (form === undefined) throw new TypeError(`unknown option "${name}"${suggestion(name, Object.keys(forms))}`)
    const [expected, is] = form
    if (value !== undefined && !is(value))
      throw new TypeError(`option ${name}: expected ${expected}, got ${show(value)}`)
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
