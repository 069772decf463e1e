import { exitCodes } from '../../verdicts/exit-codes.ts'
import { processTerminal } from '../shared/terminal.ts'
import { runTool } from './program.ts'

// The program plumbline-deploy.

const terminal = processTerminal()
try {
  process.exitCode = await runTool(process.argv.slice(2), terminal)
} catch (error) {
  terminal.err(`plumbline-deploy: internal error: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = exitCodes.broken
}
