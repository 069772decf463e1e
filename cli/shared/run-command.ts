import { exitCodes } from '../../verdicts/exit-codes.ts'
import { printError } from './print-error.ts'
import { createProgram } from './program.ts'
import { hiding, type Terminal } from './terminal.ts'

/** Runs one command. Every failure becomes one sentence on standard error and an exit code of the table. */
export async function runCommand(words: readonly string[], shown: Terminal): Promise<number> {
  const terminal = hiding(shown)
  let code: number = exitCodes.broken
  const program = createProgram(terminal, (ended) => {
    code = ended
  })
  try {
    if (words.length === 0) {
      program.outputHelp({ error: true })
      return exitCodes.usage
    }
    await program.parseAsync(words, { from: 'user' })
    return code
  } catch (error) {
    return printError(error, terminal)
  }
}
