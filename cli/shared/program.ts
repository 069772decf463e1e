import { Command, Help, type Option } from 'commander'
import { suggestion } from '../../target-file/nearest.ts'
import { refuseRepeats } from './arguments.ts'
import * as commands from './options.ts'
import { version } from './package-paths.ts'
import type { Terminal } from './terminal.ts'

/**
 * The commands, each of which reports its exit code to `ended`; the code of a command is loaded when it is called. Unknown
 * commands, flags and arguments are refused with the nearest known one.
 */
export function createProgram(terminal: Terminal, ended: (code: number) => void): Command {
  const program = new Command('plumbline')
    .description('Tests an implementation of the Compute Platform API, rule by rule.')
    .version(version(), '-v, --version')
    .configureHelp({ optionDescription: descriptionOf })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
      outputError: (text, write) => write(`plumbline: ${oneSentence(text, [])}`),
    })
  type Work<Given extends unknown[]> = (...given: [...Given, Terminal]) => Promise<number>
  /** The action of a command; commander adds the command itself to what was given. */
  const run =
    <Given extends unknown[]>(load: () => Promise<Work<Given>>) =>
    async (...given: [...Given, command: unknown]) => {
      const work = await load()
      ended(await work(...(given.slice(0, -1) as Given), terminal))
    }
  const all = [
    commands.init().action(run(async () => (await import('../init/init.ts')).init)),
    commands.check().action(run(async () => (await import('../check/check.ts')).check)),
    commands.plan().action(run(async () => (await import('../plan/plan.ts')).plan)),
    commands.load().action(run(async () => (await import('../load/load.ts')).load)),
    commands.merge().action(run(async () => (await import('../merge/merge.ts')).merge)),
    commands.compare().action(run(async () => (await import('../compare/compare.ts')).compare)),
    commands.regress().action(run(async () => (await import('../regress/regress.ts')).regress)),
    commands.accept().action(run(async () => (await import('../accept/accept.ts')).accept)),
    commands.sweep().action(run(async () => (await import('../sweep/sweep.ts')).sweep)),
    commands.serve().action(run(async () => (await import('../serve/serve.ts')).serve)),
    commands.rules().action(run(async () => (await import('../rules/rules.ts')).rules)),
    commands.explain().action(run(async () => (await import('../explain/explain.ts')).explain)),
    commands.prove().action(run(async () => (await import('../prove/prove.ts')).prove)),
    commands.fuzz().action(run(async () => (await import('../fuzz/fuzz.ts')).fuzz)),
    commands.judge().action(run(async () => (await import('../judge/judge.ts')).judge)),
    commands.proxy().action(run(async () => (await import('../proxy/proxy.ts')).proxy)),
    commands.replay().action(run(async () => (await import('../replay/replay.ts')).replay)),
    commands.certify().action(run(async () => (await import('../certify/certify.ts')).certify)),
    commands.verify().action(run(async () => (await import('../verify/verify.ts')).verify)),
    commands.registry().action(run(async () => (await import('../registry/registry.ts')).registry)),
    commands.doctor().action(run(async () => (await import('../doctor/doctor.ts')).doctor)),
    commands.completion().action(run(async () => (await import('../completion/completion.ts')).completion)),
    commands.complete().action(run(async () => (await import('../completion/completion.ts')).completeWords)),
  ]
  for (const command of all) {
    const hidden = command.name() === 'complete'
    const added = (command as unknown as Command).copyInheritedSettings(program)
    refuseRepeats(added)
    added.configureOutput({
      outputError: (text, write) => write(`plumbline: ${oneSentence(text, added.options)}`),
    })
    program.addCommand(added, { hidden })
  }
  // Without this, `help X` of an unknown X shows the usage of all commands and does not say why.
  return program.addHelpText('beforeAll', ({ error }) => {
    const [, name] = program.args
    const known = help.visibleCommands(program).map((command) => command.name())
    if (error && name !== undefined)
      program.error(`unknown command '${name}'${suggestion(name, known, '--help shows the usage')}`)
    return ''
  })
}

const help = new Help()

/** The description of an option, with its default value unless that goes without saying. */
function descriptionOf(option: Option): string {
  const { defaultValue, description } = option
  return defaultValue === false || Array.isArray(defaultValue) ? description : help.optionDescription(option)
}

/** A message of commander on one line. A value after a flag that takes none is named as such: commander calls it unknown. */
function oneSentence(text: string, options: readonly Option[]): string {
  const given = /unknown option '([^=]+)=/.exec(text)?.[1]
  const flag = options.find(({ long, required, optional }) => long === given && !required && !optional)
  if (flag !== undefined) return `option '${given}' takes no value`
  return text
    .replace(/^error: /, '')
    .trim()
    .replace(/\n\((Did you mean .*)\)$/, (_, hint: string) => `; ${hint.charAt(0).toLowerCase()}${hint.slice(1)}`)
    .replace(/^((?:unknown|too many|missing|required)[^;]*?)\.?$/, '$1; --help shows the usage')
    .replaceAll('\n', ' ')
}
