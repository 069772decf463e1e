import { parseList } from 'structured-headers'
import { tables } from '../../generated/tables.ts'
import { isRefused, isServed, type Point } from '../points.ts'
import { findOverflow } from './generous.ts'
import { failed, passed, type Ruling, unclear } from './verdict.ts'

interface Quota {
  readonly name: string
  readonly requests: number
  readonly windowSeconds: number
}

/** The request beyond the quota is 429, and its body names the window (heading Errors). */
export function judgeExceeded(points: readonly Point[]): Ruling {
  const quotas = quotasOf(points)
  for (const { name, requests, windowSeconds } of quotas) {
    const overflow = findOverflow(points.filter(isServed), requests, windowSeconds * 1000)
    if (overflow === null) continue
    const { fromMs, toMs, served, allowed } = overflow
    const sentence = `${served} pod requests were served within ${Math.ceil((toMs - fromMs) / 1000)} s, where the window ${name} (q=${requests}, w=${windowSeconds}) explains at most ${allowed}`
    return failed(sentence)
  }
  const refused = points.filter(isRefused)
  if (refused.length === 0) return unclear(`none of ${points.length} pod requests was refused`)
  for (const point of refused) {
    if (point.body === undefined) return unclear('the body of a 429 was not recorded')
    const named = tables.podWindows.map(({ name }) => name).filter((name) => names(point.body ?? '', name))
    const usedUp = usedUpWindows(point)
    const wanted = usedUp.length === 1 ? usedUp : tables.podWindows.map(({ name }) => name)
    if (named.some((name) => wanted.includes(name))) continue
    const what = usedUp.length === 1 ? `the window ${usedUp[0]}, which is used up` : 'any of the windows'
    const sentence = `the body of a 429 does not name ${what}: ${JSON.stringify((point.body ?? '').slice(0, 160))}`
    return failed(sentence)
  }
  const served = points.findIndex(isRefused)
  return passed(`after ${served} requests came a 429 that names the window exceeded`)
}

/** Names of the windows that a 429 says are used up; none if that cannot be read. */
export function usedUpWindows({ rateLimit }: Point): string[] {
  return membersOf(rateLimit).flatMap(([name, parameters]) => (parameters.get('r') === 0 ? [name] : []))
}

/** Seconds until a window begins anew, as an answer states; null if it does not. */
export function secondsLeft({ rateLimit }: Point, name: string): number | null {
  const seconds = membersOf(rateLimit)
    .find(([window]) => window === name)?.[1]
    .get('t')
  return isCount(seconds) ? seconds : null
}

/** The quotas that the first answer with RateLimit-Policy states, the shortest window first. */
export function quotasOf(points: readonly Point[]): Quota[] {
  const stated = points.find(({ rateLimitPolicy }) => typeof rateLimitPolicy === 'string')
  return membersOf(stated?.rateLimitPolicy)
    .flatMap(([name, parameters]) => {
      const requests = parameters.get('q')
      const windowSeconds = parameters.get('w')
      return isCount(requests) && isCount(windowSeconds) ? [{ name, requests, windowSeconds }] : []
    })
    .sort((a, b) => a.windowSeconds - b.windowSeconds)
}

function membersOf(line: string | null | undefined): [string, ReadonlyMap<string, unknown>][] {
  try {
    return parseList(line ?? '').map(([name, parameters]) => [String(name), parameters])
  } catch {
    return []
  }
}

function names(text: string, word: string): boolean {
  return new RegExp(`\\b${word}`, 'i').test(text)
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
}
