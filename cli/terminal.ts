import { createColors } from 'picocolors'

/** The environment of a command. */
export interface Terminal {
  /** Writes a line to standard output. */
  out(text: string): void
  /** Writes a line to standard error. */
  err(text: string): void
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** True if progress on standard error may be redrawn in place. */
  readonly live: boolean
  readonly color: boolean
  readonly colors: ReturnType<typeof createColors>
}

/** The terminal of this process. Respects NO_COLOR, FORCE_COLOR and a TERM of `dumb`. */
export function processTerminal(): Terminal {
  const { env, stdout, stderr } = process
  const dumb = env.TERM === 'dumb'
  const plain = (env.NO_COLOR !== undefined && env.NO_COLOR !== '') || dumb
  const color = !plain && (stdout.isTTY === true || (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0'))
  return {
    out: (text) => void stdout.write(`${text}\n`),
    err: (text) => void stderr.write(`${text}\n`),
    environment: env,
    cwd: process.cwd(),
    live: stderr.isTTY === true && !dumb && env.CI === undefined,
    color,
    colors: createColors(color),
  }
}
