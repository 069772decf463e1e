import { membersOf } from '../exchange/read.ts'
import type { CommandEnd } from './types.ts'

/** The end of a command, from the body of its exchange. */
export function endIn(json: unknown): CommandEnd {
  const { exit = -1, stdout = '', stderr = '', package: found = null } = (membersOf(json) ?? {}) as Partial<CommandEnd>
  return { exit, stdout, stderr, package: found }
}

/** The exit code in the text of such a body, of which reports may have only the beginning; null if it has none. */
export function exitIn(text: string): string | null {
  return /^\{"exit":(-?\d+)/.exec(text)?.[1] ?? null
}

/**
 * `exit code 1: no credentials`, with the first line that the tool wrote about it; of a traceback of Python, the line that
 * names the error. It is not cut: the beginning of a secret would not be recognised.
 */
export function endText({ exit, stdout, stderr }: CommandEnd): string {
  const lines = `${stderr}\n${stdout}`.split('\n').filter((text) => text.trim() !== '')
  const [first, ...rest] = lines
  const error = first?.startsWith('Traceback (') ? rest.find((text) => !text.startsWith(' ')) : undefined
  const line = error ?? first
  return line === undefined ? `exit code ${exit}` : `exit code ${exit}: ${line.trim()}`
}
