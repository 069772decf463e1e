import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lengthOf } from '../../harness/common/length.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import type { MixedFacts, RunEvent } from '../../harness/record/events.ts'
import type { Conducted } from '../../load/conduct.ts'
import { divideIntoWindows, type Percentiles, type Window, type Windows, windowOf } from '../../load/mixed/windows.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { type Answer, exitOfAnswers } from '../shared/comparison/compare.ts'
import { aligned, answerLines, levelLine, percent, sumLine } from '../shared/comparison/text.ts'
import { windowsFile } from '../shared/record.ts'
import type { Terminal } from '../shared/terminal.ts'
import { comparedWindows, driftIn, measuresIn, soakWindows } from './drift.ts'

/** Windows of a mixed load. */
const mixedWindows = 6

/** Columns of latencies, errors and 429. */
const columns = ['p50', 'p95', 'p99', 'errors', '429'] as const

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
  for (const line of linesOf(facts, windows, answers, tolerance, terminal)) terminal.out(line)
  return exitOfAnswers(answers)
}

function linesOf(
  { kind, leadMs, forMs }: MixedFacts,
  windows: Windows,
  answers: readonly Answer[],
  tolerance: number,
  { colors }: Terminal,
): string[] {
  const count = kind === 'soak' ? soakWindows : mixedWindows
  const head = `${pluralize(count, 'window')} of ${lengthOf(forMs / count)} after a lead of ${lengthOf(leadMs)}`
  const perSecond = ((1000 * windows.points.length) / forMs).toFixed(1)
  if (kind === 'mixed') {
    const sum = `mixed: ${pluralize(windows.points.length, 'request')}, ${perSecond} per second; nothing judged`
    return [head, '', ...aligned(rowsOfMixed(windows)), '', sum]
  }
  const advice = (rounds: number) => `--duration ${lengthOf((forMs * rounds) / comparedWindows)}`
  const found = answerLines(answers, { measuresOf: measuresIn(windows.operations), advice }, colors)
  return [
    `${head}, ${perSecond} requests per second; the first ${comparedWindows} windows → the last ${comparedWindows}`,
    levelLine(answers, tolerance),
    '',
    ...aligned(rowsOfSoak(windows)),
    '',
    ...found,
    ...(found.length === 0 ? [] : ['']),
    sumLine('soak', answers, 'drift'),
  ]
}

/** All requests of each operation, and the median of each window. */
function rowsOfMixed({ operations, points }: Windows): string[][] {
  const rows = Object.entries(operations).map(([operation, windows]) => {
    const own = points.filter((point) => point.operation === operation)
    const medians = windows.map((window) => latencyText(window, 'p50')).join(' ')
    return [operation, String(own.length), ...cellsOf(windowOf(own)), medians]
  })
  return [['ms', 'requests', ...columns, 'p50 of each window'], ...rows]
}

/** The first and the last third of each operation. */
function rowsOfSoak({ operations, points, fromMs, lengthMs }: Windows): string[][] {
  const partMs = comparedWindows * lengthMs
  const lastMs = fromMs + soakWindows * lengthMs - partMs
  const rows = Object.keys(operations).map((operation) => {
    const own = points.filter((point) => point.operation === operation)
    const first = windowOf(own.filter(({ sentMs }) => sentMs < fromMs + partMs))
    const last = windowOf(own.filter(({ sentMs }) => sentMs >= lastMs))
    const pair = (now: string, at: number) => `${cellsOf(first)[at]} → ${now}`
    const counts = [first, last].map(({ unfinished }) => unfinished?.toFixed(1))
    return [
      operation,
      String(own.length),
      ...cellsOf(last).map(pair),
      counts.includes(undefined) ? '' : counts.join(' → '),
    ]
  })
  return [['ms', 'requests', ...columns, 'unfinished'], ...rows]
}

function cellsOf(window: Window): string[] {
  const latencies = (['p50', 'p95', 'p99'] as const).map((name) => latencyText(window, name))
  return [...latencies, percent(window.errors), percent(window.limited)]
}

function latencyText({ latency }: Window, name: keyof Percentiles): string {
  return latency === null ? '–' : latency[name].toFixed(1)
}
