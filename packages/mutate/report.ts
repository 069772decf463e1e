import { pluralize } from '../../harness/common/pluralize.ts'
import type { Outcome } from './crew.ts'
import type { Mutant } from './instrument.ts'
import { type Classification, classes, type Table } from './table.ts'

/** The result of a run; each mutant that no rule noticed has its entry of the table. */
interface Result {
  readonly outcomes: readonly Outcome[]
  readonly survivors: readonly { readonly mutant: Mutant; readonly entry: Classification | null }[]
  /** Functions with code that never runs, and how many mutants that code has. */
  readonly unreached: readonly {
    readonly place: string
    readonly count: number
    readonly entry: Classification | null
  }[]
  /** Entries of the table that nothing needs; empty unless every mutant was judged. */
  readonly stale: readonly string[]
}

/** @param isWhole whether all mutants of all files were judged. */
export function conclude(
  outcomes: readonly Outcome[],
  beyond: readonly Mutant[],
  table: Table,
  isWhole: boolean,
): Result {
  const alive = outcomes.filter(({ status }) => status === 'survived').map(({ mutant }) => mutant)
  return {
    outcomes,
    survivors: alive.map((mutant) => ({ mutant, entry: table.survivor(mutant) ?? null })),
    unreached: [...Map.groupBy(beyond, ({ place }) => place)].map(([place, mutants]) => {
      const [first] = mutants
      return { place, count: mutants.length, entry: (first && table.unreached(first)) ?? null }
    }),
    stale: isWhole ? table.stale(alive, beyond) : [],
  }
}

/** True if the table has an entry for everything that no rule noticed. */
export function isClassified({ survivors, unreached }: Result): boolean {
  return [...survivors, ...unreached].every(({ entry }) => entry !== null)
}

/** The report on a terminal: survivors, what the table lacks, and the counts last. */
export function linesOf(result: Result, seconds: number): string[] {
  const { outcomes, survivors, unreached, stale } = result
  const count = (status: Outcome['status']) => outcomes.filter((outcome) => outcome.status === status).length
  const byClass = Map.groupBy(survivors, ({ entry }) => entry?.class ?? 'unclassified')
  const counts = [...classes, 'unclassified' as const].map((name) => `${byClass.get(name)?.length ?? 0} ${name}`)
  const open = unreached.filter(({ entry }) => entry === null)
  const dead = unreached.reduce((sum, { count }) => sum + count, 0)
  return [
    ...survivors.map(
      ({ mutant: { file, line, key }, entry }) =>
        // As the table has it, so that it can be copied.
        `${file}:${line}: survived (${entry?.class ?? 'unclassified'})\n      - '${key.replaceAll("'", "''")}'`,
    ),
    ...open.map(({ place, count }) => `${place}: ${pluralize(count, 'mutant')} in code that no rule reaches`),
    ...stale.map((entry) => `stale, remove it from the table: ${entry}`),
    '',
    `${pluralize(outcomes.length, 'mutant')}: ${count('killed') + count('timeout')} killed (${count('timeout')} by timeout), ` +
      `${count('recorded')} recorded, ${count('survived')} survived; ${Math.round(seconds)} s`,
    `survivors: ${counts.join(', ')}`,
    `code that no rule reaches: ${pluralize(dead, 'mutant')} in ${pluralize(unreached.length, 'function')}, ${open.length} unclassified`,
  ]
}
