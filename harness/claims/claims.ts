import type { RuleRow } from '../../generated/rules.ts'
import type { Target } from '../../target/types.ts'
import { planeOfRule } from '../planes/index.ts'
import { NotApplicable, Unclaimed } from '../rule/outcome.ts'
import { allNeeds, isGiven } from './needs.ts'

type Claim = 'given' | 'unclaimed' | { readonly absent: string }

/** The needs of a rule. */
type Needing = Pick<RuleRow, 'id' | 'needs'> & { readonly area: string }

/** A part of a rule that is not judged because the target does not offer what it needs. */
export interface UnjudgedPart {
  readonly need: string
  readonly verdict: 'unclaimed' | 'not-applicable'
  readonly reason: string
}

/** The claim of the target about a need: given, declared absent with a reason, or unclaimed. */
export function claimOf(target: Target, need: string): Claim {
  const reason = absenceOf(target.absent, need)
  if (reason !== undefined) return { absent: reason }
  return isGiven(target, need) ? 'given' : 'unclaimed'
}

/** The reason under `absent` for a need, or for the plane that it belongs to. */
export function absenceOf<T>(absent: Readonly<Record<string, T>>, need: string): T | undefined {
  return absent[need] ?? absent[need.split('.')[0] ?? need]
}

/** Throws NotApplicable or Unclaimed, with the line to add, if the target does not offer `need`. */
export function demand(target: Target, need: string): void {
  const error = missing(target, need)
  if (error !== null) throw error
}

/** The error that `demand` throws; null if the target offers `need`. */
export function missing(target: Target, need: string): NotApplicable | Unclaimed | null {
  const claim = claimOf(target, need)
  if (claim === 'given') return null
  if (claim !== 'unclaimed') return new NotApplicable(`${need} is absent: ${claim.absent}`)
  return new Unclaimed(unclaimedReason(need))
}

function unclaimedReason(need: string): string {
  const line = allNeeds()[need]?.line
  const add = typeof line === 'string' ? `; add ${line}, or absent: {${need}: REASON}` : ''
  return `${need} is neither given nor declared absent${add}`
}

/** The need for which `missing` gives this reason; undefined for any other reason. */
export function unclaimedNeed(reason: string): string | undefined {
  return Object.keys(allNeeds()).find((need) => unclaimedReason(need) === reason)
}

/** The error about the first need of a rule that the target does not offer; null if it offers all. */
export function missingNeed(target: Target, row: Needing): NotApplicable | Unclaimed | null {
  return needsOf(row).reduce<ReturnType<typeof missing>>((found, need) => found ?? missing(target, need), null)
}

/** The parts of a rule that the target does not offer, in the order of its row. */
export function unjudgedParts(target: Target, { parts }: Pick<RuleRow, 'parts'>): UnjudgedPart[] {
  return parts.flatMap((need) => {
    const error = missing(target, need)
    if (error === null) return []
    return [{ need, verdict: error instanceof Unclaimed ? 'unclaimed' : 'not-applicable', reason: error.message }]
  })
}

/** All that a rule needs: the plane that it is about, and what its row says. */
export function needsOf({ id, area, needs }: Needing): readonly string[] {
  return [planeOfRule(id, area).name, ...needs]
}
