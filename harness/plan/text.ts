import type { Plan } from './plan.ts'

/** A length of time as `850ms`, `20s`, `1m30s`, `2h05m`, `7d`. */
export function lengthOf(ms: number): string {
  if (ms < 1_000) return `${Math.ceil(ms)}ms`
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return joined(minutes, 'm', seconds % 60, 's')
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return joined(hours, 'h', minutes % 60, 'm')
  return joined(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

function joined(whole: number, unit: string, rest: number, smaller: string): string {
  return rest === 0 ? `${whole}${unit}` : `${whole}${unit}${String(rest).padStart(2, '0')}${smaller}`
}

/** At most so many rules are named in one line. */
const named = 5

/** What a plan says before a run, a line each: how long it will take, why, and what is left out. */
export function planLines({ rules, requests, expectedMs, quota, longest, leftOut }: Plan): string[] {
  const why =
    quota !== null
      ? `the requests that the target grants decide (window ${quota.name}: ${quota.quota} in ${lengthOf(quota.lengthMs)})`
      : longest === null
        ? 'no rule waits'
        : `the longest wait is ${lengthOf(longest.waitMs)} (${longest.rule})`
  const count = (many: number, noun: string) => `${many} ${noun}${many === 1 ? '' : 's'}`
  const lines = [
    `planned: ${count(rules, 'rule')} with requests of ${rules === 1 ? 'its' : 'their'} own, about ${count(requests, 'request')}, done in about ${lengthOf(expectedMs)}; ${why}`,
  ]
  if (leftOut.length > 0) {
    const names = leftOut.slice(0, named).map(({ rule }) => rule)
    const more = leftOut.length > named ? ` and ${leftOut.length - named} more` : ''
    lines.push(`left out, and so unverified: ${count(leftOut.length, 'rule')} (${names.join(', ')}${more})`)
  }
  return lines
}
