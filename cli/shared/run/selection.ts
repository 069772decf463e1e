import { type RuleRow, ruleProfiles, rules } from '../../../generated/rules.ts'
import { matcherOf } from '../../../harness/common/pattern.ts'
import { allPlanes, planeOfRule } from '../../../harness/planes/index.ts'
import { judgedByLoad, podLoadRules, queueLoadRules } from '../../../harness/rule/load-rules.ts'
import type { Target } from '../../../target/types.ts'
import { suggestion } from '../../../target-file/nearest.ts'
import { UsageError } from '../errors.ts'
import type { Terminal } from '../terminal.ts'

/** The flags of a command line that select rules. */
interface Selecting {
  /** Ids, globs over ids, or areas; none means all. */
  readonly only: readonly string[]
  readonly profile?: string
  /** Present if load is driven, too. */
  readonly load?: unknown
}

export type LoadKind = 'smoke' | 'limits' | 'pods' | 'mixed' | 'soak'

/** The rules of a run and the profiles that they are judged in. */
export interface Selected {
  readonly profiles: readonly string[]
  /** Ids of the rules in the results, sorted. */
  readonly selected: readonly string[]
}

/** Far longer than any id; matching time grows with the pattern. */
const longestPattern = 1_000

const idsOf: Readonly<Record<LoadKind, readonly string[]>> = {
  smoke: queueLoadRules,
  mixed: queueLoadRules,
  soak: queueLoadRules,
  limits: queueLoadRules,
  pods: [...podLoadRules, 'limits.pods.headers-on-success'],
}

/** The rules of a run and their profiles: those of the list, else core, of the reference all; and of rules named by id. */
export async function selectionOf(
  { only, profile, load }: Selecting,
  target: Target | null,
  terminal: Terminal,
  vendor: readonly RuleRow[] = [],
): Promise<Selected> {
  // Rows without a function in the suites are judged by load.
  const judged = load === undefined ? rules.filter(({ id }) => !judgedByLoad.has(id)) : rules
  const rows: readonly RuleRow[] = [...judged, ...vendor]
  const listed = profilesFor(profile, target, load === undefined ? [] : loadProfiles, rows)
  const chosen = selectRules(rows, { only, profiles: listed })
  const named = rows.filter(({ id }) => only.includes(id)).map(({ profile }) => profile)
  const profiles = [...new Set([...listed, ...named])]
  if (only.length === 0) return { profiles, selected: chosen }
  // Loaded only if needed: it imports every suite.
  const { withInvariantScenarios } = await import('./invariant-scenarios.ts')
  return { profiles, selected: withInvariantScenarios(chosen, terminal) }
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
    `--profile: ${unjudged} is judged by load; add --load, or run plumbline load limits --target FILE, or load pods`,
  )
}

/**
 * Ids of the selected rules, sorted. Throws UsageError if a pattern matches nothing or nothing is selected.
 * A rule that is named by its id is selected whatever its profile. In a glob `*` matches any text, dots included: `pods.action.*`, `*.null`.
 */
export function selectRules(
  rows: readonly RuleRow[],
  { only, profiles }: { readonly only: readonly string[]; readonly profiles: readonly string[] },
): string[] {
  for (const pattern of only) refuseInvalid(pattern)
  const named = only.length === 0 ? rows : rows.filter(({ id }) => only.some((pattern) => matcherOf(pattern)(id)))
  for (const pattern of only) {
    const matches = matcherOf(pattern)
    if (!rows.some(({ id }) => matches(id))) throw new UsageError(noMatch(rows, pattern))
  }
  const chosen = named.filter(({ id, profile }) => profiles.includes(profile) || only.includes(id))
  if (chosen.length > 0) return chosen.map(({ id }) => id).sort()
  const others = [...new Set(named.map(({ profile }) => profile))].sort()
  throw new UsageError(
    named.length === 0
      ? 'nothing was selected: the ledger is empty'
      : `nothing was selected: ${named.length === 1 ? '1 rule matches' : `${named.length} rules match`}, but none is in profile ${profiles.join(', ')}; add --profile ${others.length > 1 ? `with one or more of ${others.join(', ')}` : others.join()}`,
  )
}

/** Throws UsageError for an invalid pattern of `--only`. */
export function refuseInvalid(pattern: string): void {
  if (pattern === '') throw new UsageError('--only is empty; name a rule, a glob over ids, or an area')
  if (pattern.length > longestPattern) {
    throw new UsageError(`--only takes patterns of up to ${longestPattern} characters, got ${pattern.length}`)
  }
  const other = /[^\w.*-]/u.exec(pattern)?.[0]
  if (other !== undefined) {
    throw new UsageError(
      `--only ${pattern}: "${other}" is not allowed; give an id, a glob such as queue.*, or an area, and repeat --only for several`,
    )
  }
}

/** The profiles of a comma-separated list. Throws UsageError for one that no rule is in. */
export function readProfiles(list: string, rows: readonly RuleRow[]): string[] {
  const known = profilesOf(rows)
  const names = list.split(',').map((name) => name.trim())
  for (const name of names) {
    if (!known.includes(name) && ruleProfiles.some((profile) => profile === name)) {
      throw new UsageError(`--profile: profile ${name} has no rules yet; choose from ${known.join(', ')}`)
    }
    if (!known.includes(name)) throw new UsageError(`--profile: unknown profile "${name}"${suggestion(name, known)}`)
  }
  return [...new Set(names)]
}

/** All profiles with a rule, sorted. */
export function profilesOf(rows: readonly RuleRow[]): string[] {
  return [...new Set(rows.map(({ profile }) => profile))].sort()
}

function noMatch(rows: readonly RuleRow[], pattern: string): string {
  const below = rows.filter(({ id }) => id.startsWith(`${pattern}.`)).length
  if (below > 0)
    return `--only: no rule has the id ${pattern}, but ${below === 1 ? '1 begins' : `${below} begin`} with it; write ${pattern}.*`
  const id = [...judgedByLoad].find(matcherOf(pattern))
  if (id !== undefined) {
    const command = `plumbline load ${planeOfRule(id).load} --target FILE --only ${pattern}`
    return `--only: ${pattern} is judged by load; run ${command}`
  }
  const all = 'plumbline rules lists all'
  // A glob is not a misspelled id.
  if (pattern.includes('*')) return `--only: no rule matches ${pattern}; ${all}`
  const areas = allPlanes().find(({ name }) => name === pattern)?.areas ?? []
  if (areas.length > 0) return `--only: no rule matches ${pattern}; its rules are in the area ${areas.join(' and ')}`
  const known = [...new Set(rows.flatMap(({ id, area }) => [id, area]))]
  return `--only: no rule matches ${pattern}${suggestion(pattern, known, all)}`
}

/** Profiles of the rules that only load judges and that can be decided on any target. */
export const loadProfiles: readonly string[] = usualOf(rules.filter(({ id }) => judgedByLoad.has(id)))

/** The rules of a kind of load. Throws UsageError if a pattern matches none of them. */
export function selectLoad(kind: LoadKind, { only, profile }: Selecting): Selected {
  const rows = rules.filter(({ id }) => idsOf[kind].includes(id))
  const named = rows.filter(({ id }) => only.includes(id)).map(({ profile }) => profile)
  const usual = named.length > 0 ? [...new Set(named)] : usualOf(rows)
  const profiles = profile === undefined ? usual : readProfiles(profile, rows)
  // One row of load has another profile, and is judged by `check`.
  return {
    profiles: profiles.filter((name) => name !== 'core'),
    selected: selectRules(rows, { only, profiles }),
  }
}

function usualOf(rows: readonly RuleRow[]): string[] {
  return profilesOf(rows).filter((name) => name !== 'lab')
}
