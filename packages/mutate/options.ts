import { parseArgs } from 'node:util'

export interface Options {
  /** How many mutants to judge; null for all. */
  readonly sample: number | null
  readonly seed: number
  /** Globs over files; empty for every file. */
  readonly only: readonly string[]
  /** The time limit of a mutant, in runs of the reference. */
  readonly limit: number
  /** Where the result is written as JSON. */
  readonly json: string | null
}

/** The command line is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** @throws UsageError for an unknown or contradictory flag, or a value out of range. */
export function readOptions(args: readonly string[]): Options {
  const { sample, seed, all, only, limit, json } = flagsOf(args)
  if (all && sample !== undefined) throw new UsageError('--all and --sample exclude each other')
  return {
    sample: all ? null : countOf('--sample', sample ?? '300', 1),
    seed: countOf('--seed', seed ?? '1', 0),
    only,
    limit: countOf('--limit', limit ?? '10', 1),
    json: json ?? null,
  }
}

function flagsOf(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        sample: { type: 'string' },
        seed: { type: 'string' },
        all: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true, default: [] },
        limit: { type: 'string' },
        json: { type: 'string' },
      },
    }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function countOf(flag: string, text: string, least: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value
  throw new UsageError(`${flag} is ${text}; expected an integer from ${least}`)
}
