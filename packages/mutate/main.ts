import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CommanderError } from 'commander'
import { createLogUpdate } from 'log-update'
import { UsageError } from '../../cli/shared/errors.ts'
import { exitCodes } from '../../verdicts/exit-codes.ts'
import { judgeMutants, judgeReference, type Outcome } from './crew.ts'
import { instrument, type Mutant } from './instrument.ts'
import { type Options, readOptions } from './options.ts'
import { conclude, isClassified, linesOf } from './report.ts'
import { readTable } from './table.ts'

// npm run mutate: judges mutants of the reference (docs/mutants.md).

const root = join(import.meta.dirname, '..', '..')
const tableFile = 'proof/mutants.yaml'

try {
  process.exitCode = await main(readOptions(process.argv.slice(2), (text) => process.stderr.write(text)))
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : exitCodes.usage
  else {
    const isUsage = error instanceof UsageError
    process.exitCode = isUsage ? exitCodes.usage : exitCodes.broken
    process.stderr.write(`${isUsage ? error.message : error instanceof Error ? error.stack : error}\n`)
  }
}

async function main({ sample, all, seed, only, limit, json }: Options): Promise<number> {
  const beginMs = performance.now()
  const table = readTable(readFileSync(join(root, tableFile), 'utf8'))
  const files = sourceFiles().filter((file) => table.exclusion(file) === undefined)
  const chosenFiles = only.length === 0 ? files : files.filter((file) => only.some((glob) => matchesGlob(file, glob)))
  if (chosenFiles.length === 0)
    throw new UsageError(`--only matches none of the ${files.length} files that are mutated`)
  const sources = chosenFiles.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
  const { mutants, leftOut, code } = await instrument(sources)
  const setup = { code: new Map([...code].map(([file, text]) => [urlOf(file), text])), rules: null }
  const baseline = await judgeReference(setup, limit)
  const reached = mutants.filter(({ id }) => baseline.reached.has(id))
  const chosen = all ? reached : sampleOf(reached, sample, seed)
  const outcomes = await judgeMutants(chosen, setup, baseline, progress(chosen.length))
  const beyond = mutants.filter(({ id }) => !baseline.reached.has(id))
  const result = conclude(outcomes, beyond, table, all && only.length === 0)
  const left = Object.entries(leftOut).map(([reason, count]) => `${count} ${reason}`)
  for (const line of linesOf(result, (performance.now() - beginMs) / 1000)) process.stdout.write(`${line}\n`)
  process.stdout.write(`left out: ${left.join(', ')}\n`)
  const drawn = { sample: all ? null : sample, seed }
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ ...drawn, leftOut, ...result }, null, 2)}\n`)
  return isClassified(result) ? exitCodes.conformant : exitCodes['not conformant']
}

function sourceFiles(): string[] {
  return globSync('reference/**/*.ts', { cwd: root })
    .filter((file) => !/\.test\.ts$|\/testing\//.test(file))
    .sort()
}

function urlOf(file: string): string {
  return pathToFileURL(join(root, file)).href
}

/** The same mutants for the same seed, whatever has changed around them. */
function sampleOf(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const rank = ({ key }: Mutant) => createHash('sha256').update(`${seed} ${key}`).digest('hex')
  const ranked = mutants.map((mutant) => ({ mutant, rank: rank(mutant) }))
  const first = ranked.toSorted((a, b) => (a.rank < b.rank ? -1 : 1)).slice(0, count)
  return first.map(({ mutant }) => mutant).toSorted((a, b) => Number(a.id) - Number(b.id))
}

/** Draws the counts over themselves on a terminal; elsewhere writes a line for every 50 mutants. */
function progress(total: number): (outcome: Outcome) => void {
  const display = process.stderr.isTTY ? createLogUpdate(process.stderr) : null
  let done = 0
  let survived = 0
  return ({ status }) => {
    done++
    if (status === 'survived') survived++
    const line = `${done} of ${total} mutants, ${survived} survived`
    if (display === null && (done % 50 === 0 || done === total)) process.stderr.write(`${line}\n`)
    display?.(line)
    if (done === total) display?.clear()
  }
}
