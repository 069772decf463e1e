import { Command } from 'commander'
import type { CheckOptions } from './commands/check.ts'
import { UsageError } from './errors.ts'
import { version } from './home.ts'
import * as commands from './options.ts'
import type { TargetChoice } from './target.ts'
import type { Terminal } from './terminal.ts'

/**
 * The commands, each of which reports its exit code to `ended`; the code of a command is loaded when it is called. Unknown
 * commands, flags and arguments are refused with the nearest known one.
 */
export function createProgram(terminal: Terminal, ended: (code: number) => void): Command {
  const program = new Command('plumbline')
    .description('Tests an implementation of the Compute Platform API, rule by rule.')
    .version(version())
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
      outputError: (text, write) => write(`plumbline: ${oneSentence(text)}`),
    })
  /** Options about a target, and the one that they choose. Loaded when it is called, as commands are. */
  const ofTarget = async <O extends TargetChoice>(options: O) =>
    (await import('./target.ts')).withTarget(options, terminal)
  const run =
    <A extends unknown[]>(work: (...given: A) => Promise<number>) =>
    async (...given: A) =>
      ended(await work(...given))
  const all = [
    commands
      .check()
      .action(
        run(async (options) =>
          (await import('./commands/check.ts')).check(withLoad(await ofTarget(options)), terminal),
        ),
      ),
    commands
      .plan()
      .action(run(async (options) => (await import('./commands/plan.ts')).plan(await ofTarget(options), terminal))),
    commands
      .load()
      .action(run(async (kind, options) => (await import('./commands/load.ts')).load(kind, options, terminal))),
    commands
      .merge()
      .action(run(async (folders, options) => (await import('./commands/merge.ts')).merge(folders, options, terminal))),
    commands
      .sweep()
      .action(run(async (runs, options) => (await import('./commands/sweep.ts')).sweep(runs, options, terminal))),
    commands.serve().action(run(async (options) => (await import('./commands/serve.ts')).serve(options, terminal))),
    commands.rules().action(run(async (options) => (await import('./commands/rules.ts')).rules(options, terminal))),
    commands.prove().action(run(async (options) => (await import('./commands/prove.ts')).prove(options, terminal))),
    commands
      .fuzz()
      .action(run(async (options) => (await import('./commands/fuzz.ts')).fuzz(await ofTarget(options), terminal))),
    commands
      .replay()
      .action(run(async (folder, options) => (await import('./commands/replay.ts')).replay(folder, options, terminal))),
    commands
      .doctor()
      .action(run(async (options) => (await import('./commands/doctor.ts')).doctor(await ofTarget(options), terminal))),
  ]
  for (const command of all) program.addCommand((command as unknown as Command).copyInheritedSettings(program))
  return program
}

/** The options of check, those of load apart. */
function withLoad({
  load,
  iOwnThis,
  maxRequests,
  maxSeconds,
  windowScale,
  ...options
}: commands.OptionsOf<typeof commands.check>): CheckOptions {
  const flags = { iOwnThis, maxRequests, maxSeconds, windowScale }
  const given = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
  if (load === true) return { ...options, load: { ...given, quiet: options.quiet } }
  const [name] = Object.keys(given)
  if (name === undefined) return options
  throw new UsageError(`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} needs --load`)
}

/** A two-line message of commander on one line. */
function oneSentence(text: string): string {
  return text
    .replace(/^error: /, '')
    .trim()
    .replace(/\n\((Did you mean .*)\)$/, (_, hint: string) => `; ${hint.charAt(0).toLowerCase()}${hint.slice(1)}`)
    .replaceAll('\n', ' ')
}
