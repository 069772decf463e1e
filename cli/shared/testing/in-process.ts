import { createColors } from 'picocolors'
import { runCommand } from '../run-command.ts'

export interface Printed {
  readonly code: number
  readonly out: string
  readonly err: string
}

interface RunningHere {
  readonly cwd: string
  readonly environment?: Readonly<Record<string, string>>
  /** Ends the command as SIGTERM does once it has printed this. */
  readonly endAfter?: string
}

/**
 * Runs one command in this process, in the folder `cwd`, and collects what it prints. For commands that end by
 * themselves; signals and streams need a process (`main.test.ts`).
 */
export async function runHere(
  words: readonly string[],
  { cwd, environment = {}, endAfter }: RunningHere,
): Promise<Printed> {
  let out = ''
  let err = ''
  const code = await runCommand(words, {
    out: (text) => {
      out += `${text}\n`
      if (endAfter !== undefined && text.includes(endAfter)) setImmediate(() => process.emit('SIGTERM', 'SIGTERM'))
    },
    err: (text) => {
      err += `${text}\n`
    },
    environment: { ...process.env, ...environment },
    cwd,
    live: false,
    color: false,
    colors: createColors(false),
  })
  return { code, out, err }
}
