import { type RuleRow, rules } from '../generated/rules.ts'
import { planeOfRule } from '../harness/planes/index.ts'
import { judgedByLoad } from '../load/analyse/rules.ts'
import type { Target } from '../target/types.ts'
import { UsageError } from './errors.ts'
import { loadProfiles } from './load/select.ts'
import { profilesOf, readProfiles, selectRules } from './select.ts'
import type { Terminal } from './terminal.ts'

/** The flags of a command line that select rules. */
export interface Selecting {
  readonly only: readonly string[]
  readonly profile?: string
  /** Present if load is driven, too. */
  readonly load?: unknown
}

/** The rows that `check` judges: those with a function in the suites. `load` judges the others. */
const judged = rules.filter(({ id }) => !judgedByLoad.has(id))

/** The rules of a run and their profiles: those of the list, else core, of the reference all; and of rules named by id. */
export async function selectionOf(
  { only, profile, load }: Selecting,
  target: Target | null,
  terminal: Terminal,
): Promise<{ readonly profiles: string[]; readonly selected: string[] }> {
  if (load === undefined) refuseLoad(only)
  const rows = load === undefined ? judged : rules
  const listed = profilesFor(profile, target, load === undefined ? [] : loadProfiles, rows)
  const chosen = selectRules(rows, { only, profiles: listed })
  const named = rows.filter(({ id }) => only.includes(id)).map(({ profile }) => profile)
  const profiles = [...new Set([...listed, ...named])]
  if (only.length === 0) return { profiles, selected: chosen }
  // Loaded only if needed: it imports every suite.
  const { withFeeders } = await import('./feeders.ts')
  return { profiles, selected: withFeeders(chosen, terminal) }
}

function profilesFor(
  list: string | undefined,
  target: Target | null,
  ofLoad: readonly string[],
  rows: readonly RuleRow[],
): string[] {
  if (list === undefined) return target === null ? profilesOf(rows) : ['core', ...ofLoad]
  const known = profilesOf(rows)
  const unjudged = list
    .split(',')
    .find((name) => !known.includes(name.trim()) && profilesOf(rules).includes(name.trim()))
  if (unjudged === undefined) return readProfiles(list, rows)
  throw new UsageError(
    `--profile: ${unjudged} is judged by load; add --load, or run npx plumbline load limits --target FILE, or load pods`,
  )
}

function refuseLoad(only: readonly string[]): void {
  const id = only.find((pattern) => judgedByLoad.has(pattern))
  if (id === undefined) return
  throw new UsageError(`--only: ${id} is judged by load; run npx plumbline load ${planeOfRule(id).load} --only ${id}`)
}
