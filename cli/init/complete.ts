import type { Document } from 'yaml'
import { claimOf } from '../../harness/claims/claims.ts'
import { allNeeds } from '../../harness/claims/needs.ts'
import type { Target } from '../../target/types.ts'
import { addComment, addTo, draftOf, lacks } from '../shared/offers/additions.ts'
import { addOffers, needsWithin, type Offer, warningsAbout } from '../shared/offers/offers.ts'

/**
 * Adds to a target file what is offered; what is not becomes a comment with its reason. Returns a sentence for each addition, the
 * number of comments, and warnings.
 */
export function complete(document: Document, offers: ReadonlyMap<string, Offer>, read: (document: Document) => Target) {
  const added = addOffers(document, offers)
  const target = read(document)
  const { planes, defaults } = warningsAbout(target, offers)
  const draft = draftOf(document.toJS())
  let unseen = 0
  for (const need of needsWithin(target)) {
    const { says: offered = '', line: given = null, lineWithout } = allNeeds()[need] ?? {}
    const line = lineWithout ?? given
    const says = lineWithout === undefined ? offered : `for a target without ${offered}`
    const offer = offers.get(need)
    if (line === null || offer === undefined || 'line' in offer || !lacks(draft.toJS(), line)) continue
    // A default claims it all the same.
    const isClaimed = claimOf(target, need) === 'given'
    unseen += addComment(document, line, `${says}${isClaimed ? ', claimed by default' : ''}: ${offer.reason}`)
    addTo(draft, line)
  }
  return { added, unseen, warnings: [...planes, ...defaults] }
}
