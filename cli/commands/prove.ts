import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createLogUpdate } from 'log-update'
import { proofFaults } from '../../proof/gates.ts'
import { NothingMatches } from '../../proof/plan.ts'
import { type ProofProgress, type ProofResult, type ProveOptions, prove as run } from '../../proof/prove.ts'
import { UsageError } from '../errors.ts'
import type { Terminal } from '../terminal.ts'

export interface ProveCommandOptions {
  readonly only?: string
  readonly matrix: boolean
  readonly json?: string
}

/** Proves that every rule can fail and that none fails wrongly. Answers 0 where all of it holds, else 1. */
export async function prove({ only, matrix, json }: ProveCommandOptions, terminal: Terminal): Promise<number> {
  const display = terminal.live ? createLogUpdate(process.stderr) : null
  const options: ProveOptions = {
    matrix,
    onProgress: (progress: ProofProgress) =>
      display?.(`${progress.done} of ${progress.total} instances, last ${progress.what}`),
    ...(only === undefined ? {} : { only }),
  }
  const result = await run(options).catch((error: unknown) => {
    throw error instanceof NothingMatches ? new UsageError(error.message) : error
  })
  display?.clear()
  display?.done()
  if (json !== undefined) writeFileSync(resolve(terminal.cwd, json), `${JSON.stringify(result, null, 2)}\n`)
  for (const line of told(result)) terminal.out(line)
  return result.proven ? 0 : 1
}

/** The lines of a proof: the matrix where it was asked for, then what is wrong, and the sum of it last. */
export function told(result: ProofResult): string[] {
  const { defects, latitudes, matrix, proven } = result
  const found = defects.filter(({ killed }) => killed)
  const alike = latitudes.filter(({ failed }) => failed.length === 0)
  return [
    ...(matrix ?? []).map(({ id, failed }) => `on ${id} these fail: ${failed.join(', ') || 'none'}`),
    ...proofFaults(result),
    `${proven ? 'proven' : 'not proven'}: ${found.length} of ${defects.length} defects are found, ` +
      `${alike.length} of ${latitudes.length} latitudes are judged as they should be`,
  ]
}
