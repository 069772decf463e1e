import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createLogUpdate } from 'log-update'
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

/** The lines of a proof: what is wrong, each with what was expected, and the sum of it last. */
export function told(result: ProofResult): string[] {
  const { defects, latitudes, reference, unkilledClauses, unknownClauses, unproven, matrix, proven } = result
  const alive = defects.filter(({ killed }) => !killed)
  const unlike = latitudes.filter(({ failed }) => failed.length > 0)
  return [
    ...(matrix ?? []).map(({ id, failed }) => `on ${id} these fail: ${failed.join(', ') || 'none'}`),
    ...alive.map(
      ({ id, rule, clause, expected, observed }) =>
        `defect ${id} is not found by ${rule} (${clause}): expected ${expected}; observed ${observed}`,
    ),
    ...reference.failed.map((miss) => `on the reference, ${mismatch(miss)}`),
    ...unlike.flatMap(({ id, failed }) => failed.map((miss) => `on latitude ${id}, ${mismatch(miss)}`)),
    ...unkilledClauses.map(({ rule, clause }) => `no defect breaks ${rule} in its clause ${clause}`),
    ...unknownClauses.map((id) => `defect ${id} names a clause that its rule does not reach`),
    ...unproven.map(
      ({ rule, reading }) =>
        `${rule} records ${reading === null ? 'nothing' : `the same ${reading}`} on every instance`,
    ),
    `${proven ? 'proven' : 'not proven'}: ${defects.length - alive.length} of ${defects.length} defects are found, ` +
      `${latitudes.length - unlike.length} of ${latitudes.length} latitudes are judged as they should be`,
  ]
}

function mismatch({ rule, expected, seen, reason }: ProofResult['reference']['failed'][number]): string {
  return `${rule} should be ${expected} and is ${seen}${reason === null ? '' : `: ${reason}`}`
}
