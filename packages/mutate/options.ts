import { Command, gather, integer, Option } from '../../cli/shared/arguments.ts'

export type Options = ReturnType<typeof readOptions>

/**
 * Reads the command line; `tell` gets the usage, or what is wrong.
 * @throws CommanderError for `--help`, an unknown or contradictory flag, or a value out of range.
 */
export function readOptions(args: readonly string[], tell: (text: string) => void) {
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
    .option('--only <glob>', 'only files that match; can be repeated', gather, [])
    .option('--limit <runs>', 'time limit of a mutant, in runs of the reference', integer(1), 10)
    .option('--json <file>', 'write the result into this file')
    .parse([...args], { from: 'user' })
    .opts()
}
