import { stringify } from 'yaml'
import { word } from '../../../results/shell.ts'
import { examplePrefix } from '../../../target/secrets.ts'
import type { Target } from '../../../target/types.ts'
import { TargetFileError } from '../../../target-file/error.ts'
import { parseTarget } from '../../../target-file/load.ts'
import { UsageError } from '../errors.ts'
import type * as commands from '../options.ts'
import { readTarget, withTarget } from '../target.ts'
import type { Terminal } from '../terminal.ts'

const planes = ['pods', 'queue', 'lb', 'management'] as const

type Flags = Pick<commands.OptionsOf<typeof commands.judge>, 'target' | (typeof planes)[number]>

/** The target that a command about the traffic of others names, by a file or by addresses; `words`: the flags as words of a command. */
export async function trafficTarget(flags: Flags, terminal: Terminal) {
  const given = planes.filter((plane) => flags[plane] !== undefined)
  if (given.length === 0) {
    const { target = '' } = withTarget(flags, terminal, '; --pods URL judges without one')
    return { target: await readTarget(target, terminal), targetFile: target, words: ['--target', target] }
  }
  if (flags.target !== undefined) throw new UsageError('give either --target or addresses, not both')
  const words = given.flatMap((plane) => [`--${plane}`, flags[plane] ?? ''])
  return { target: targetOf(flags), targetFile: null, words }
}

/** The words of a command for a shell; addresses stay as they are. */
export function commandOf(...words: readonly string[]): string {
  return words.map(word).join(' ')
}

/**
 * A target with these addresses. No request is made for it, so its ids and its key may be any. Throws UsageError, which names the
 * flags, for anything that is not an address.
 */
function targetOf({ pods, queue, lb, management }: Flags): Target {
  const allowPlainHttp = true
  const any = 'any'
  const file = {
    plumbline: 1,
    name: 'the traffic',
    ...(pods !== undefined && { pods: { url: pods, allowPlainHttp } }),
    ...(queue !== undefined && { queue: { url: queue, allowPlainHttp, endpoints: { normal: any } } }),
    ...(lb !== undefined && { lb: { endpoints: { normal: lb }, allowPlainHttp } }),
    ...(management !== undefined && { management: { url: management, allowPlainHttp, template: any } }),
    keys: { full: `${examplePrefix}full` },
  }
  try {
    return parseTarget(stringify(file), { file: '', environment: {} })
  } catch (error) {
    if (!(error instanceof TargetFileError)) throw error
    const inFlags = error.faults.map(({ path, message }) => message.replace(path, `--${path.split('.')[0]}`))
    throw new UsageError(inFlags.join('; '))
  }
}
