import { type RuleRow, ruleProfiles } from '../generated/rules.ts'
import { matcherOf } from '../harness/common/pattern.ts'
import { suggestion } from '../target/nearest.ts'
import { UsageError } from './errors.ts'

export interface Selection {
  /** Ids, globs over ids, or areas; none means all. */
  readonly only: readonly string[]
  readonly profiles: readonly string[]
}

/** Far longer than any id; matching time grows with the pattern. */
const longestPattern = 1_000

/**
 * Ids of the selected rules, sorted. Throws UsageError if a pattern matches nothing or nothing is selected.
 * A rule that is named by its id is selected whatever its profile. In a glob `*` matches any text, dots included: `pods.action.*`, `*.null`.
 */
export function selectRules(rows: readonly RuleRow[], { only, profiles }: Selection): string[] {
  for (const pattern of only) refuseOdd(pattern)
  const named = only.length === 0 ? rows : rows.filter(({ id }) => only.some((pattern) => matcherOf(pattern)(id)))
  for (const pattern of only) {
    const matches = matcherOf(pattern)
    if (!rows.some(({ id }) => matches(id))) throw new UsageError(noMatch(rows, pattern))
  }
  const chosen = named.filter(({ id, profile }) => profiles.includes(profile) || only.includes(id))
  if (chosen.length > 0) return chosen.map(({ id }) => id).sort()
  const others = [...new Set(named.map(({ profile }) => profile))].sort().join(',')
  throw new UsageError(
    named.length === 0
      ? 'nothing was selected: the ledger is empty'
      : `nothing was selected: ${named.length === 1 ? '1 rule matches' : `${named.length} rules match`}, but none is in profile ${profiles.join(', ')}; add --profile ${others}`,
  )
}

/** Throws UsageError for an invalid pattern of `--only`. */
export function refuseOdd(pattern: string): void {
  if (pattern === '') throw new UsageError('--only is empty; name a rule, a glob over ids, or an area')
  if (pattern.length > longestPattern) {
    throw new UsageError(`--only takes patterns of up to ${longestPattern} characters, got ${pattern.length}`)
  }
}

/** The profiles of a comma-separated list. Throws UsageError for one that no rule is in. */
export function readProfiles(list: string, rows: readonly RuleRow[]): string[] {
  const known = profilesOf(rows)
  const names = list.split(',').map((name) => name.trim())
  for (const name of names) {
    if (!known.includes(name) && isProfile(name)) {
      throw new UsageError(`--profile: profile ${name} has no rules yet; choose from ${known.join(', ')}`)
    }
    if (!known.includes(name)) throw new UsageError(`--profile: unknown profile "${name}"${suggestion(name, known)}`)
  }
  return [...new Set(names)]
}

function isProfile(name: string): boolean {
  return ruleProfiles.some((profile) => profile === name)
}

/** All profiles with a rule, sorted. */
export function profilesOf(rows: readonly RuleRow[]): string[] {
  return [...new Set(rows.map(({ profile }) => profile))].sort()
}

function noMatch(rows: readonly RuleRow[], pattern: string): string {
  const below = rows.filter(({ id }) => id.startsWith(`${pattern}.`)).length
  if (below > 0)
    return `--only: no rule has the id ${pattern}, but ${below === 1 ? '1 begins' : `${below} begin`} with it; write ${pattern}.*`
  const hint = suggestion(pattern, [...new Set(rows.flatMap(({ id, area }) => [id, area]))])
  return `--only: no rule matches ${pattern}${hint.includes('did you mean') ? hint : '; npx plumbline rules lists them'}`
}
