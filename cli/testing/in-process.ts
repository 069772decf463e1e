import { createColors } from 'picocolors'
import { runCommand } from '../run.ts'

export interface Printed {
  readonly code: number
  readonly out: string
  readonly err: string
}

/**
 * Runs one command in this process, in the folder `cwd`, and collects what it prints. For commands that end by
 * themselves; signals and streams need a process (`main.test.ts`).
 */
export async function runHere(
  words: readonly string[],
  { cwd, environment = {} }: { readonly cwd: string; readonly environment?: Readonly<Record<string, string>> },
): Promise<Printed> {
  let out = ''
  let err = ''
  const code = await runCommand(words, {
    out: (text) => {
      out += `${text}\n`
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
