import type { Reply } from '../client/reply.ts'
import { pluralize } from '../common/pluralize.ts'
import { isSuccess, textOf } from '../exchange/exchange.ts'
import { changedFields, type Members, membersOf, type PodView, podOf, show } from '../exchange/read.ts'
import { type Dropped, Inconclusive, RuleBroken } from './outcome.ts'

/** Statuses of a gateway whose API did not answer. */
export const outageStatuses: ReadonlySet<number> = new Set([502, 503, 504])

/** The assertions of one clause. Each throws RuleBroken with expected and observed, and counts its exchange. */
export interface Check {
  /** The status is one of `expected`; a gateway's 502, 503 or 504 is inconclusive unless it is expected. */
  status(reply: Reply, ...expected: readonly number[]): void
  /** The status is from 200 to 299. */
  success(reply: Reply): void
  /** The body is a pod: a JSON object with a string id and status. Read after the status was checked. */
  pod(reply: Reply): PodView
  /** 200 with the full pod `before`, except live fields; `also` names more fields that may differ. */
  sameAs(reply: Reply, before: PodView, ...also: readonly string[]): PodView
  /** Members of a JSON object body. */
  object(reply: Reply): Members
  /**
   * Asserts `holds`; else both texts are in the report. `at` is the response that shows it; null without a single one.
   */
  that(holds: boolean, expected: string, observed: string, at: Reply | PodView | Dropped | null): void
  /** Counts the exchange of a response as one that exercised the rule. */
  saw(reply: Reply): void
}

export interface CheckLog {
  /** Receives each clause that was reached and each exchange that was judged. */
  clause(name: string): void
  exercised(exchange: number): void
}

export function createCheck(clause: string, log: CheckLog): Check {
  log.clause(clause)
  const broken = (expected: string, observed: string, exchange: number | null): never => {
    throw new RuleBroken({ clause, expected, observed, exchange })
  }
  const saw = (reply: Reply) => log.exercised(reply.exchange.n)
  const check: Check = {
    saw,
    status(reply, ...expected) {
      saw(reply)
      if (expected.includes(reply.status)) return
      inconclusiveIfOutage(reply)
      broken(`status ${expected.join(' or ')}`, `status ${reply.status}`, reply.exchange.n)
    },
    success(reply) {
      saw(reply)
      if (isSuccess(reply.status)) return
      inconclusiveIfOutage(reply)
      broken('a 2xx status', `status ${reply.status}`, reply.exchange.n)
    },
    pod(reply) {
      saw(reply)
      const pod = podOf(reply.json, reply.exchange.n)
      return pod ?? broken('a pod with id and status', bodyOf(reply), reply.exchange.n)
    },
    object(reply) {
      saw(reply)
      return membersOf(reply.json) ?? broken('a JSON object', bodyOf(reply), reply.exchange.n)
    },
    sameAs(reply, before, ...also) {
      check.status(reply, 200)
      const after = check.pod(reply)
      const changed = changedFields(before.value, after.value).filter((name) => !also.includes(name))
      if (changed.length > 0) {
        const texts = (of: Members) => changed.map((name) => `${name} ${show(of[name])}`).join(', ')
        broken(texts(before.value), texts(after.value), reply.exchange.n)
      }
      return after
    },
    that(holds, expected, observed, at) {
      const exchange = at?.exchange ?? null
      const n = exchange === null || typeof exchange === 'number' ? exchange : exchange.n
      if (n !== null) log.exercised(n)
      if (!holds) broken(expected, observed, n)
    },
  }
  return check
}

/** True if a gateway answered in place of the API. */
export function isOutage({ status }: Pick<Reply, 'status'>): boolean {
  return outageStatuses.has(status)
}

/** True for the status of a refusal. */
export function isRefusal({ status }: Pick<Reply, 'status'>): boolean {
  return status >= 400 && status < 500
}

/** Throws Inconclusive if a gateway answered in place of the API, unless it persists while others are answered. */
export function inconclusiveIfOutage({ status, isLasting }: Pick<Reply, 'status' | 'isLasting'>): void {
  if (outageStatuses.has(status) && isLasting !== true)
    throw new Inconclusive(`the target answered ${status}, which is an outage and shows nothing about the rule`)
}

/** `status 200`; for a refusal also its body as JSON, which the record shortens once secrets are removed. */
export function responseText({ status, json, bytes }: Pick<Reply, 'status' | 'json' | 'bytes'>): string {
  if (status < 400 || bytes.length === 0) return `status ${status}`
  return `status ${status}: ${show(json ?? textOf(bytes) ?? 'bytes that are not text')}`
}

function bodyOf(reply: Reply): string {
  if (reply.json !== undefined) return show(reply.json)
  if (reply.bytes.length === 0) return 'no body'
  return `${pluralize(reply.bytes.length, 'byte')} of ${reply.header('content-type') ?? 'no content type'}, which is not JSON`
}
