import { createColors } from 'picocolors'

/** All that a command knows of the world around the process. */
export interface Terminal {
  /** Writes a line to standard output. */
  out(text: string): void
  /** Writes a line to standard error. */
  err(text: string): void
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Whether progress may be drawn over itself on standard error. */
  readonly live: boolean
  readonly color: boolean
  readonly colors: ReturnType<typeof createColors>
}

/** The terminal of this process. NO_COLOR and a TERM of `dumb` are heeded, FORCE_COLOR as well. */
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
