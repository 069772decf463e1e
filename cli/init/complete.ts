import type { Document } from 'yaml'
import { claimOf } from '../../harness/claims/claims.ts'
import { allNeeds } from '../../harness/claims/needs.ts'
import { isPlane } from '../../harness/planes/index.ts'
import type { Target } from '../../target/types.ts'
import { addComment, addTo, draftOf, lacks } from '../shared/additions.ts'
import { addSeen, needsWithin, type Offer, warningsAbout } from '../shared/offers.ts'

interface Completed {
  readonly seen: readonly string[]
  /** Number of comments. */
  readonly unseen: number
  readonly warnings: readonly string[]
}

/** Adds to a target file what was seen; what was not seen becomes a comment with its reason. */
export function complete(
  document: Document,
  offers: ReadonlyMap<string, Offer>,
  read: (document: Document) => Target,
): Completed {
  const within = new Set(needsWithin(read(document)))
  addSeen(document, offers, (need) => within.has(need))
  const target = read(document)
  const needs = needsWithin(target)
  const { planes, defaults } = warningsAbout(target, offers)
  const draft = draftOf(document.toJS())
  let unseen = 0
  for (const need of needs) {
    const { says: offered = '', line: given = null, lineWithout } = allNeeds()[need] ?? {}
    const line = lineWithout ?? given
    const says = lineWithout === undefined ? offered : `for a target without ${offered}`
    const offer = offers.get(need)
    if (line === null || offer === undefined || 'line' in offer || !lacks(draft.toJS(), line)) continue
    // A default claims it all the same.
    const isClaimed = claimOf(target, need) === 'given'
    addComment(document, line, `${says}${isClaimed ? ', claimed by default' : ''}: ${offer.reason}`)
    addTo(draft, line)
    unseen++
  }
  const isSeen = (need: string) => {
    const offer = offers.get(need)
    return offer === undefined ? isPlane(need) : 'line' in offer
  }
  return {
    seen: needs.filter((need) => claimOf(target, need) === 'given' && isSeen(need)),
    unseen,
    warnings: [...planes, ...defaults],
  }
}
