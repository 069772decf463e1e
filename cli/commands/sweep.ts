import { resolve } from 'node:path'
import { counted } from '../../suites/harness/counted.ts'
import { program } from '../../suites/harness/results/rerun.ts'
import { exitCodes } from '../../suites/harness/results/types.ts'
import { loadTarget } from '../../suites/harness/target/load.ts'
import { suggestion } from '../../suites/harness/target/nearest.ts'
import type { Target } from '../../suites/harness/target/types.ts'
import { UsageError } from '../errors.ts'
import {
  aliveProcess,
  deleteLedger,
  isEmpty,
  listRuns,
  otherHost,
  type RunLedger,
  readLedger,
  resourcesFile,
} from '../runs.ts'
import { sweepRun } from '../sweep.ts'
import { readTarget } from '../target.ts'
import type { Terminal } from '../terminal.ts'

export interface SweepCommandOptions {
  readonly target?: string
  /** Runs of other machines too: a container has another host name each time. */
  readonly allHosts?: boolean
}

/** Removes what runs below this folder have left behind. Answers 0, or 3 where something may still be there. */
export async function sweep(
  runs: readonly string[],
  options: SweepCommandOptions,
  terminal: Terminal,
): Promise<number> {
  const { cwd } = terminal
  const known = listRuns(cwd)
  for (const run of runs) {
    if (!known.includes(run)) {
      const hint = known.length === 0 ? '; there is none' : suggestion(run, known)
      throw new UsageError(`there is no run ${run} below ${resolve(cwd, '.plumbline')}${hint}`)
    }
  }
  const given = options.target === undefined ? null : await readTarget(options.target, terminal)
  let failures = 0
  for (const run of runs.length === 0 ? known : runs) {
    const alive = aliveProcess(cwd, run)
    if (alive !== null) {
      terminal.err(`run ${run} is still under way (process ${alive}); it was left alone`)
      if (runs.includes(run)) failures++
      continue
    }
    const host = otherHost(cwd, run)
    if (host !== null && options.allHosts !== true && !runs.includes(run)) {
      terminal.err(
        `run ${run} belongs to ${host}, and whether it is still under way cannot be told here; it was left alone; if it has ended, name it: ${program} sweep ${run}, or give --all-hosts where all have ended`,
      )
      failures++
      continue
    }
    failures += await sweepOne(readLedger(cwd, run), given, terminal)
  }
  if (known.length === 0) terminal.out('nothing to sweep: no run has left a ledger here')
  return failures === 0 ? exitCodes.conformant : exitCodes.incomplete
}

async function sweepOne(ledger: RunLedger, given: Target | null, terminal: Terminal): Promise<number> {
  if (isEmpty(ledger)) {
    deleteLedger(ledger)
    terminal.out(`run ${ledger.run}: nothing was left`)
    return 0
  }
  const target = given ?? fromLedger(ledger, terminal)
  if (ledger.url !== null && (target.pods?.url ?? '') !== ledger.url) {
    terminal.err(
      `run ${ledger.run} made its pods at ${ledger.url || 'no address'}, and the target file says ${target.pods?.url ?? 'nothing'}; it was left alone`,
    )
    return 1
  }
  const { removed, never, jobs, expiring, purged, failed } = await sweepRun({ ledger, target, leaveKept: false })
  const parts = [`${counted(removed.length, 'pod')} removed`]
  if (purged.length > 0) parts.push(`the queue of ${purged.join(', ')} purged`)
  if (jobs > 0) parts.push(`${counted(jobs, 'job')} cancelled`)
  if (never.length > 0) parts.push(`${never.length} never came into being`)
  if (failed.length > 0) parts.push(`${failed.length} not removed`)
  terminal.out(`run ${ledger.run}: ${parts.join(', ')}`)
  if (expiring !== null) terminal.out(`run ${ledger.run}: ${expiring}`)
  for (const { name, reason } of failed) terminal.err(`${name} may still be there: ${reason}`)
  if (failed.length > 0) {
    const file = resourcesFile(terminal.cwd, ledger.run)
    terminal.err(
      `run ${ledger.run} stays in the ledger; sweep again, or delete ${file} where the target is gone for good`,
    )
  }
  return failed.length
}

function fromLedger({ run, targetFile }: RunLedger, { environment }: Terminal): Target {
  if (targetFile !== null) return loadTarget(targetFile, environment)
  throw new UsageError(`the ledger of run ${run} names no target file; give one with --target`)
}
