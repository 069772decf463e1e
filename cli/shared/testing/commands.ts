import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runHere } from './in-process.ts'

/** The output of a command and its exit code; null if it was killed. */
export interface Ended {
  readonly code: number | null
  readonly said: string
}

/** A command under way; `ended` comes when nobody holds its output open any more. */
export interface Command {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Its output so far. */
  said(): string
}

const main = join(import.meta.dirname, '..', '..', 'main.ts')

/** Commands of plumbline in a folder of their own, for a test. */
export function createCommands(name: string) {
  const cwd = mkdtempSync(join(tmpdir(), `plumbline-${name}-`))
  const began: ChildProcess[] = []
  let servers = 0

  function start(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    input = '',
    inputAfterMs = 0,
  ): Command {
    const env = { ...process.env, NO_COLOR: '1', ...environment }
    const child = spawn(process.execPath, [main, ...args], { cwd, env, stdio: 'pipe' })
    began.push(child)
    if (inputAfterMs === 0) child.stdin.end(input)
    else setTimeout(() => child.stdin.end(input), inputAfterMs)
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)))
    const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, said })))
    return { child, ended, said: () => said }
  }

  return {
    cwd,
    start,
    /** A command that ends by itself, in this process; `said` has its output before its errors. */
    async run(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ended> {
      const { code, out, err } = await runHere(args, { cwd, environment })
      return { code, said: out + err }
    },
    /** A reference that is served in real time, and its target file. */
    async serve(flags: readonly string[]) {
      const target = `target-${servers++}.yaml`
      const command = start(['serve', '--port', '0', '--print-target', target, ...flags])
      const url = /url: (\S+)/.exec(await textOf(join(cwd, target), 'keys:'))?.[1] ?? ''
      return { target, url, ...command }
    },
    /** Ends what is still under way. */
    close() {
      for (const child of began) child.kill('SIGKILL')
    },
  }
}

/** Flags with this one, which has a default value unless they give another. */
export function withDefault(flags: readonly string[], name: string, value: string): readonly string[] {
  return flags.includes(name) ? flags : [name, value, ...flags]
}

/** The text of a file, once this part of it is there. */
export async function textOf(file: string, part: string): Promise<string> {
  await until(() => existsSync(file) && readFileSync(file, 'utf8').includes(part))
  return readFileSync(file, 'utf8')
}

/** Waits until something holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await holds()); tries++) {
    if (tries > 1200) throw new Error('what was waited for did not come within two minutes')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
