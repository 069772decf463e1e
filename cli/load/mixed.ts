import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEvent } from '../../harness/record/events.ts'
import type { Conducted } from '../../load/conduct.ts'
import { divideIntoWindows } from '../../load/mixed/windows.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { exitOfAnswers } from '../shared/comparison/compare.ts'
import { summaryLines, summaryPage } from '../shared/comparison/summary.ts'
import { windowsFile, windowsPageFile } from '../shared/records/record.ts'
import type { Terminal } from '../shared/terminal.ts'
import { driftIn, soakWindows } from './drift.ts'
import { latencyPlots, mixedWindows, summarizeWindows } from './windows-summary.ts'

/** Prints and keeps the windows of a recorded load of all operations, and the drift of a soak. Returns the exit code. `tolerance`: the smallest drift that counts. */
export function printMixed(
  dir: string,
  { run, load }: Pick<RunEvent, 'run' | 'load'>,
  conducted: Conducted,
  tolerance: number,
  terminal: Terminal,
): number {
  const facts = load?.mixed
  const driven = conducted.judged.find(({ step }) => step.name === 'mixed')
  if (facts === undefined || driven === undefined) {
    const [reason = 'the load was not driven'] = [...conducted.brokenOff.values()].map((broken) => broken.reason)
    terminal.out(`${facts?.kind}: not measured: ${reason}`)
    return exitCodes.incomplete
  }
  const windows = divideIntoWindows([...driven.points], facts, facts.kind === 'soak' ? soakWindows : mixedWindows)
  if (windows.points.length === 0) {
    terminal.out(
      `${facts.kind}: not measured: no request was sent after the lead; give a longer --duration, or more load.requestsPerSecond`,
    )
    return exitCodes.incomplete
  }
  const { points: _, ...kept } = windows
  // Drawn from the name of the run, so that a record always gives the same answers.
  const seed = Number.parseInt(run.slice(1), 36)
  const answers = facts.kind === 'soak' ? driftIn(windows, { seed, tolerance }) : []
  writeFileSync(join(dir, windowsFile), `${JSON.stringify({ ...facts, ...kept, tolerance, answers }, null, 2)}\n`)
  const summary = summarizeWindows(facts, windows, answers, tolerance)
  writeFileSync(join(dir, windowsPageFile), summaryPage(summary, [latencyPlots(windows)]))
  for (const line of summaryLines(summary, terminal.colors)) terminal.out(line)
  return exitOfAnswers(answers)
}
