import { createColors } from 'picocolors'

/** The environment of a command. */
export interface Terminal {
  /** Writes a line to standard output. */
  out(text: string): void
  /** Writes a line to standard error. */
  err(text: string): void
  /** Removes the secrets of a target from everything that is written from now on; missing in tests that need none. */
  hide?(clean: (text: string) => string): void
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** True if progress on standard error may be redrawn in place. */
  readonly live: boolean
  readonly color: boolean
  readonly colors: ReturnType<typeof createColors>
}

/** A terminal that hides the secrets of each target that is read. `clean` removes them from any other text. */
export function hiding(terminal: Terminal): Terminal & { clean(text: string): string } {
  const hidden: ((text: string) => string)[] = []
  const clean = (text: string) => hidden.reduce((shown, hide) => hide(shown), text)
  return {
    ...terminal,
    out: (text) => terminal.out(clean(text)),
    err: (text) => terminal.err(clean(text)),
    hide: (one) => void hidden.push(one),
    clean,
  }
}

/** The terminal of this process. Respects NO_COLOR, FORCE_COLOR and a TERM of `dumb`. */
export function processTerminal(): Terminal {
  const { env, stdout, stderr } = process
  const dumb = env.TERM === 'dumb'
  const plain = (env.NO_COLOR !== undefined && env.NO_COLOR !== '') || dumb
  const color = !plain && (stdout.isTTY === true || (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0'))
  return {
    out: (text) => void stdout.write(`${printable(text, color)}\n`),
    err: (text) => void stderr.write(`${printable(text, color)}\n`),
    environment: env,
    cwd: process.cwd(),
    live: stderr.isTTY === true && !dumb && env.CI === undefined,
    color,
    colors: createColors(color),
  }
}

/** All that moves the cursor, hides text or reorders it; line breaks and tabs aside. */
const controls = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu
/** The text after the escape character for the styles of reports: bold, dim, underlined, colored, and the end of each. */
const style = /^\[(?:[0-4]|22|24|3\d|9\d)m/

/** A text as a terminal may show it: a record or a target may hold any character, and each control is shown escaped. */
export function printable(text: string, color: boolean): string {
  return text.replace(controls, (control, place: number) => {
    if (color && control === '\u001b' && style.test(text.slice(place + 1, place + 5))) return control
    return `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
