import { join } from 'node:path'
import tab from '@bomb.sh/tab'
import complete from '@bomb.sh/tab/commander'
import { Command } from 'commander'
import { quote } from 'shell-quote'
import { ruleProfiles, rules } from '../../generated/rules.ts'
import * as commands from '../shared/options.ts'
import { packageFolder, version } from '../shared/package-paths.ts'
import type { Terminal } from '../shared/terminal.ts'

/**
 * The end of the script of bash: the function that completes needs another one of bash-completion. Bash completes names of
 * files if nothing else fits.
 */
const bashEnd = `__plumbline_complete_or_say() {
    if declare -F _get_comp_words_by_ref >/dev/null; then
        __plumbline_complete "$@"
    else
        printf '\\nplumbline: completion needs the package bash-completion; install it and start a new shell\\n' >&2
    fi
}
complete -o default -F __plumbline_complete_or_say plumbline`

/** Prints the completion script of a shell. */
export async function completion(shell: string, _: unknown, { out }: Terminal): Promise<number> {
  // The script defines constants, so a second one in the same shell would fail.
  if (shell === 'bash') out('declare -F __plumbline_complete >/dev/null && return 0')
  tab.setup('plumbline', `node ${quote([join(packageFolder, 'bin', 'plumbline.js')])}`, shell)
  if (shell === 'bash') out(bashEnd)
  return 0
}

/** Prints what may come next after these words; the completion scripts call it. The last word is being typed. */
export async function completeWords(words: readonly string[], _: unknown, { out }: Terminal): Promise<number> {
  if (isPath(words)) {
    // The directive of the scripts by which the shell completes names of files.
    out(':0')
    return 0
  }
  await describeCommands(words)
  tab.parse([...words])
  return 0
}

/** Names of values that are paths. */
const paths = /^(file|folder|path|run|old|new)$/

/** True if the word being typed is the name of a file or folder: the value of an option, or an argument. */
function isPath(words: readonly string[]): boolean {
  const [name = '', ...rest] = words
  const command = allCommands().find((one) => one.name() === name)
  const previous = words.at(-2) ?? ''
  const option = command?.options.find(({ long }) => long === previous)
  if (option?.required === true) return paths.test(/<(\w+)>/.exec(option.flags)?.[1] ?? '')
  if (rest.length === 0 || words.at(-1)?.startsWith('-')) return false
  const valued = new Set(command?.options.flatMap(({ long, required }) => (required && long ? long : [])))
  const place = rest.slice(0, -1).filter((word, at) => !word.startsWith('-') && !valued.has(rest[at - 1] ?? '')).length
  const argument = command?.registeredArguments[place] ?? command?.registeredArguments.find(({ variadic }) => variadic)
  return paths.test(argument?.name() ?? '')
}

/** Gives all commands to the library, with the values that some of their options take. */
async function describeCommands(words: readonly string[]): Promise<void> {
  const program = new Command('plumbline').version(version(), '-v, --version')
  for (const command of allCommands()) program.addCommand(command)
  // It adds a command that prints the script, whose name must be free, and which is never called.
  complete(program, { completionCommandName: 'script' })
  tab.commands.delete('script')
  const ids = rules.map(({ id, says }) => [id, says] as const)
  const areas = [...new Set(rules.map(({ area }) => area))].map((area) => [area, `rules of ${area}`] as const)
  const { defects, latitudes } = words.includes('serve') ? await import('../../proof/catalog.ts') : nothing
  const values: Readonly<Record<string, readonly (readonly [value: string, says: string])[]>> = {
    rule: ids,
    only: [...areas, ...ids],
    profile: ruleProfiles.map((profile) => [profile, '']),
    defect: defects.map(({ id, says }) => [id, says]),
    latitude: latitudes.map(({ id, says }) => [id, says]),
  }
  for (const { options, arguments: words } of tab.commands.values()) {
    for (const [name, offered] of Object.entries(values)) {
      const taking = options.get(name) ?? words.get(name)
      if (taking !== undefined) taking.handler = (add) => offered.forEach(([value, says]) => void add(value, says))
    }
  }
}

const nothing = { defects: [], latitudes: [] }

/** The commands that are completed. */
function allCommands(): Command[] {
  return Object.values(commands)
    .map((make) => make() as unknown as Command)
    .filter((command) => command.name() !== 'complete')
}
