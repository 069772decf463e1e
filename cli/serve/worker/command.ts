import { parse } from 'shell-quote'
import { UsageError } from '../../shared/errors.ts'

/** A command and its arguments. */
export type Words = readonly [command: string, ...args: string[]]

/**
 * The words of a command line, without quotes. It runs without a shell, so that a signal reaches the program itself.
 * @throws UsageError if it is empty, or needs a shell.
 */
export function readCommand(flag: string, line: string): Words {
  // Each variable is returned as an object, so that it is refused rather than emptied.
  const [command, ...args] = parse(line, (name) => ({ op: `$${name}` })).map((word) => {
    if (typeof word === 'string') return word
    const what = 'comment' in word ? `#${word.comment}` : 'pattern' in word ? word.pattern : word.op
    throw new UsageError(`${flag}: expected a program and its arguments, got ${what}, which needs a shell; quote it`)
  })
  if (command === undefined || command === '') {
    throw new UsageError(`${flag} is empty; give a program and its arguments`)
  }
  return [command, ...args]
}
