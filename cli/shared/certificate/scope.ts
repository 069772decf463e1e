import { rules } from '../../../generated/rules.ts'
import { claimOf, needsOf } from '../../../harness/claims/claims.ts'
import { isInvariant } from '../../../harness/rule/invariant-needs.ts'
import { judgedByLoad } from '../../../harness/rule/load-rules.ts'
import { leftOutOf } from '../../../load/claims.ts'
import type { Target } from '../../../target/types.ts'
import { UsageError } from '../errors.ts'
import { profilesOf, readProfiles } from '../run/selection.ts'

/** The profiles of a certificate. */
export interface Scope {
  /** Judged in each run. */
  readonly always: readonly string[]
  /** Judged once, in the first run: they need load. */
  readonly byLoad: readonly string[]
}

/** A profile that a target claims and a certificate says nothing about. */
export interface UnjudgedProfile {
  readonly profile: string
  readonly reason: string
}

/** Profiles with rules that only load judges. */
const loadProfiles: ReadonlySet<string> = new Set(profilesOf(rules.filter(({ id }) => judgedByLoad.has(id))))

/** The profiles of the list, or all that the target claims and its clock permits. Throws UsageError for a list that cannot be judged. */
export function scopeOf(target: Target, list: string | undefined): Scope {
  const profiles = list === undefined ? possibleOf(target) : readProfiles(list, rules)
  const needsLoad = profiles.find((profile) => loadProfiles.has(profile) && target.clock !== 'real')
  if (needsLoad !== undefined) throw new UsageError(`--profile: ${needsLoad} needs load; ${realTimeOnly}`)
  const scope = { always: withoutLoad(profiles), byLoad: profiles.filter((name) => loadProfiles.has(name)) }
  if (scope.always.length > 0) return scope
  throw new UsageError(
    list === undefined
      ? 'the target file claims no profile; plumbline doctor says what it claims'
      : `--profile: ${list} is judged by load, once; add a profile that all three runs can judge, such as core`,
  )
}

/** Throws UsageError for a target file that leaves open what a strict run must know: no run of it could be conformant. */
export function refuseUnclaimed(target: Target, { always, byLoad }: Scope): void {
  const profiles = [...always, ...byLoad]
  const judged = rules.filter(({ id, profile }) => profiles.includes(profile) && !isInvariant(id))
  const open = judged.flatMap((row) => {
    const lacking = needsOf(row).find((need) => claimOf(target, need) !== 'given')
    // A rule that lacks a need is left out. Its parts matter only if it lacks none.
    return (lacking === undefined ? row.parts : [lacking]).filter((need) => claimOf(target, need) === 'unclaimed')
  })
  const shown = [...new Set(open)].sort()
  const [first] = shown
  if (first === undefined) return
  throw new UsageError(
    `certify judges strictly, but the target file neither claims nor declares absent: ${shown.join(', ')}; add the lines` +
      ` that plumbline doctor prints, or absent: {${first}: REASON}`,
  )
}

/** The profiles that need no load. */
export function withoutLoad(profiles: readonly string[]): string[] {
  return profiles.filter((name) => !loadProfiles.has(name))
}

/** The claimed profiles that these do not include, each with the reason. */
export function unjudgedProfiles(profiles: readonly string[], target: Target): UnjudgedProfile[] {
  const possible = possibleOf(target)
  return claimedBy(target)
    .filter((profile) => !profiles.includes(profile))
    .map((profile) => ({ profile, reason: possible.includes(profile) ? 'left out by --profile' : realTimeOnly }))
}

const realTimeOnly = 'load runs in real time, and the clock of the target is controlled'

function possibleOf(target: Target): string[] {
  return claimedBy(target).filter((profile) => target.clock === 'real' || !loadProfiles.has(profile))
}

/**
 * A target file claims a profile if it gives what a must rule of it needs. None claims `lab`, for which a target is
 * specially prepared.
 */
function claimedBy(target: Target): string[] {
  const must = rules.filter(({ level, profile }) => level === 'must' && profile !== 'lab')
  const missing = leftOutOf(
    must.map(({ id }) => id),
    target,
  )
  return profilesOf(must.filter(({ id }) => !missing.has(id)))
}
