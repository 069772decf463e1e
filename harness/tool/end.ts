import { membersOf } from '../exchange/read.ts'
import type { CommandEnd } from './types.ts'

/** Most characters of the output of a command in a message. */
const shownCharacters = 200

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
 * names the error.
 */
export function endText({ exit, stdout, stderr }: CommandEnd): string {
  const lines = `${stderr}\n${stdout}`.split('\n').filter((text) => text.trim() !== '')
  const [first, ...rest] = lines
  const error = first?.startsWith('Traceback (') ? rest.find((text) => !text.startsWith(' ')) : undefined
  const line = error ?? first
  return line === undefined ? `exit code ${exit}` : `exit code ${exit}: ${cutText(line.trim())}`
}

/** The beginning of an output, for a message. */
export function cutText(text: string): string {
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters - 1)}…` : text
}
