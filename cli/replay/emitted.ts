import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEvent } from '../../harness/record/events.ts'
import { InvalidRecord, readEvidence } from '../../harness/record/read.ts'
import { completeLoad } from '../../load/distributed/complete.ts'
import { IncompletePoints } from '../../load/load-error.ts'
import { UsageError } from '../shared/errors.ts'

/** A file with the points of one process of k6. */
const pointsFile = /^points-[\w.-]+\.json\.gz$/

/**
 * Completes the record of an emitted load from its files of points, at the first replay. Leaves any other record alone.
 * @throws UsageError if a file is missing or incomplete.
 */
export async function completeEmitted(dir: string, folder: string): Promise<void> {
  const run = await emittedIn(dir)
  if (run === null) return
  const processes = run.load?.processes ?? 0
  const files = existsSync(dir) ? readdirSync(dir).filter((name) => pointsFile.test(name)) : []
  if (files.length !== processes) {
    throw new UsageError(
      `${folder} has ${files.length} files points-NAME.json.gz, but ${processes} processes of k6 share this load; copy the file of each into it`,
    )
  }
  const paths = files.sort().map((name) => join(dir, name))
  await completeLoad(dir, run, paths).catch((error) => {
    throw error instanceof IncompletePoints ? new UsageError(`${folder}: ${error.message}`) : error
  })
}

/** The run event of an emitted load that is not completed; null for any other or a damaged record. */
async function emittedIn(dir: string): Promise<RunEvent | null> {
  let run: RunEvent | null = null
  try {
    for await (const event of readEvidence(dir)) {
      if (event.type === 'run' && event.load?.processes !== undefined) run = event
      if (run === null || event.type === 'end') return null
    }
  } catch (error) {
    if (error instanceof InvalidRecord) return null
    throw error
  }
  return run
}
