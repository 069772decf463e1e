import { Command, Option } from 'commander'
import { gather, integer } from '../../cli/arguments.ts'

export interface Options {
  /** How many mutants to judge; with `all` every one. */
  readonly sample: number
  readonly all: boolean
  readonly seed: number
  /** Globs over files; empty for every file. */
  readonly only: readonly string[]
  /** The time limit of a mutant, in runs of the reference. */
  readonly limit: number
  /** Where the result is written as JSON. */
  readonly json?: string
}

/**
 * Reads the command line; `tell` gets the usage, or what is wrong.
 * @throws CommanderError for `--help`, an unknown or contradictory flag, or a value out of range.
 */
export function readOptions(args: readonly string[], tell: (text: string) => void): Options {
  return new Command('npm run mutate --')
    .description('Judges mutants of the reference (docs/mutants.md).')
    .exitOverride()
    .configureOutput({ writeErr: tell })
    .allowExcessArguments(false)
    .addOption(
      new Option('--sample <count>', 'how many mutants to judge').argParser(integer(1)).default(300).conflicts('all'),
    )
    .option('--all', 'every mutant', false)
    .option('--seed <number>', 'another sample', integer(0), 1)
    .option('--only <glob>', 'only these files; can be repeated', gather, [])
    .option('--limit <runs>', 'time limit of a mutant, in runs of the reference', integer(1), 10)
    .option('--json <file>', 'write the result into this file')
    .parse([...args], { from: 'user' })
    .opts<Options>()
}
