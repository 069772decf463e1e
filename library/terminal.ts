import { createColors } from 'picocolors'
import { hiding } from '../cli/shared/terminal.ts'

/** The surroundings of a command that prints nothing: `onLine` receives its lines without secrets. */
export function quietTerminal(
  onLine: (line: string) => void,
  { cwd = process.cwd(), environment = {} }: Surroundings = {},
): ReturnType<typeof hiding> {
  return hiding({
    out() {},
    err: onLine,
    // Results of a program do not belong to the job in which it runs.
    environment: { ...process.env, GITHUB_ACTIONS: undefined, ...environment },
    cwd,
    live: false,
    color: false,
    colors: createColors(false),
  })
}

interface Surroundings {
  readonly cwd?: string | undefined
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined
}
