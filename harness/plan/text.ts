import { lengthOf } from '../common/length.ts'
import { pluralize } from '../common/pluralize.ts'
import type { Plan } from './types.ts'

/** At most so many rules are named in one line. */
const named = 5

/** The lines of a plan: how long the run will take, why, and what is left out. */
export function planLines({ rules, requests, expectedMs, quota, longest, leftOut }: Plan): string[] {
  const why =
    quota !== null
      ? `the requests that the target grants decide (window ${quota.name}: ${quota.quota} in ${lengthOf(quota.lengthMs)})`
      : longest === null
        ? 'no rule waits'
        : `the longest wait is ${lengthOf(longest.waitMs)} (${longest.rule})`
  const lines = [
    `planned: ${pluralize(rules, 'rule')} with requests of ${rules === 1 ? 'its' : 'their'} own, about ${pluralize(requests, 'request')}, done in about ${lengthOf(expectedMs)}; ${why}`,
  ]
  if (leftOut.length > 0) {
    const names = leftOut.slice(0, named).map(({ rule }) => rule)
    const more = leftOut.length > named ? ` and ${leftOut.length - named} more` : ''
    lines.push(`left out, and so unverified: ${pluralize(leftOut.length, 'rule')} (${names.join(', ')}${more})`)
  }
  return lines
}
