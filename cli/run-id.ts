import { randomInt } from 'node:crypto'

/** The id of a run: `r` and ten characters of base 36. */
export function newRunId(): string {
  return `r${Array.from({ length: 10 }, () => randomInt(36).toString(36)).join('')}`
}
