import { rules as ledger, type RuleRow } from '../../generated/rules.ts'
import { judgedByLoad, podLoadRules, queueLoadRules } from '../../load/analyse/rules.ts'
import { readProfiles, selectRules } from '../select.ts'

export type LoadKind = 'smoke' | 'limits' | 'pods'

export interface LoadSelection {
  readonly profiles: readonly string[]
  /** Ids of the rules in the results, sorted. */
  readonly selected: readonly string[]
}

const idsOf: Readonly<Record<LoadKind, readonly string[]>> = {
  smoke: queueLoadRules,
  limits: queueLoadRules,
  pods: [...podLoadRules, 'limits.pods.headers-on-success'],
}

/** Profiles of the rules that only load judges and that can be decided on any target. */
export const loadProfiles: readonly string[] = usualOf(ledger.filter(({ id }) => judgedByLoad.has(id)))

/** The rules of a kind of load. Throws UsageError if a pattern matches none of them. */
export function selectLoad(
  kind: LoadKind,
  { only, profile }: { readonly only: readonly string[]; readonly profile?: string },
): LoadSelection {
  const rows = ledger.filter(({ id }) => idsOf[kind].includes(id))
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
  return [...new Set(rows.map(({ profile }) => profile).filter((name) => name !== 'lab'))]
}
