import type { ApiResponse } from '../client/api-response.ts'
import { pluralize } from '../common/pluralize.ts'
import { isSuccess, redirectText, textOf } from '../exchange/exchange.ts'
import { changedFields, type Members, membersOf, type PodView, podOf, show } from '../exchange/read.ts'
import { ClauseViolated, type Dropped, Inconclusive } from './outcome.ts'

/** Statuses of a gateway whose API did not answer. */
export const outageStatuses: ReadonlySet<number> = new Set([502, 503, 504])

/** The assertions of one clause. Each throws ClauseViolated with expected and observed, and counts its exchange. */
export interface Check {
  /** The status is one of `expected`; a 502, 503 or 504 is inconclusive unless it is expected, or marked as deliberate. */
  status(response: ApiResponse, ...expected: readonly number[]): void
  /** The status is from 200 to 299. */
  success(response: ApiResponse): void
  /** The body is a pod: a JSON object with a string id and status; an outage is inconclusive. */
  pod(response: ApiResponse): PodView
  /** 200 with the full pod `before`, except live fields; `also` names more fields that may differ. */
  sameAs(response: ApiResponse, before: PodView, ...also: readonly string[]): PodView
  /** Members of a JSON object body; an outage is inconclusive. */
  object(response: ApiResponse): Members
  /**
   * Asserts `holds`; else both texts are in the report. `at` is the response that shows it; null without a single one.
   */
  that(holds: boolean, expected: string, observed: string, at: ApiResponse | PodView | Dropped | null): void
  /** Counts the exchange of a response as one that exercised the rule. */
  saw(response: ApiResponse): void
}

interface CheckLog {
  /** Receives each clause that was reached and each exchange that was judged. */
  clause(name: string): void
  exercised(exchange: number): void
}

export function createCheck(clause: string, log: CheckLog): Check {
  log.clause(clause)
  const violated = (expected: string, observed: string, exchange: number | null): never => {
    throw new ClauseViolated({ clause, expected, observed, exchange })
  }
  const lacking = (expected: string, response: ApiResponse): never => {
    inconclusiveIfOutage(response)
    return violated(expected, bodyOf(response), response.exchange.n)
  }
  const saw = (response: ApiResponse) => log.exercised(response.exchange.n)
  const check: Check = {
    saw,
    status(response, ...expected) {
      saw(response)
      if (expected.includes(response.status)) return
      inconclusiveIfOutage(response)
      violated(`status ${expected.join(' or ')}`, statusText(response), response.exchange.n)
    },
    success(response) {
      saw(response)
      if (isSuccess(response.status)) return
      inconclusiveIfOutage(response)
      violated('a 2xx status', statusText(response), response.exchange.n)
    },
    pod(response) {
      saw(response)
      return podOf(response.json, response.exchange.n) ?? lacking('a pod with id and status', response)
    },
    object(response) {
      saw(response)
      return membersOf(response.json) ?? lacking('a JSON object', response)
    },
    sameAs(response, before, ...also) {
      check.status(response, 200)
      const after = check.pod(response)
      const changed = changedFields(before.value, after.value).filter((name) => !also.includes(name))
      if (changed.length > 0) {
        const texts = (of: Members) => changed.map((name) => `${name} ${show(of[name])}`).join(', ')
        violated(texts(before.value), texts(after.value), response.exchange.n)
      }
      return after
    },
    that(holds, expected, observed, at) {
      const exchange = at?.exchange ?? null
      const n = exchange === null || typeof exchange === 'number' ? exchange : exchange.n
      if (n !== null) log.exercised(n)
      if (!holds) violated(expected, observed, n)
    },
  }
  return check
}

/** True if a gateway answered in place of the API. */
export function isOutage({ status }: Pick<ApiResponse, 'status'>): boolean {
  return outageStatuses.has(status)
}

/** True for the status of a refusal. */
export function isRefusal({ status }: Pick<ApiResponse, 'status'>): boolean {
  return status >= 400 && status < 500
}

/** Throws Inconclusive if a gateway answered in place of the API, unless it persists while others are answered. */
export function inconclusiveIfOutage({ status, isDeliberate }: Pick<ApiResponse, 'status' | 'isDeliberate'>): void {
  if (outageStatuses.has(status) && isDeliberate !== true)
    throw new Inconclusive(`the target answered ${status}, which is an outage and shows nothing`)
}

/** `status 200`; of a redirect also where to. */
function statusText(response: Pick<ApiResponse, 'status' | 'header' | 'text'>): string {
  return response.text ?? `status ${response.status}${redirectText(response.status, response.header('location'))}`
}

/** The same; for a refusal also its body as JSON, which the record shortens once secrets are removed. */
export function responseText(response: Pick<ApiResponse, 'status' | 'header' | 'json' | 'bytes' | 'text'>): string {
  const { status, json, bytes } = response
  if (status < 400 || bytes.length === 0 || response.text !== undefined) return statusText(response)
  return `status ${status}: ${show(json ?? textOf(bytes) ?? 'bytes that are not text')}`
}

function bodyOf(response: ApiResponse): string {
  if (response.json !== undefined) return show(response.json)
  if (response.bytes.length === 0) return 'no body'
  return `${pluralize(response.bytes.length, 'byte')} of ${response.header('content-type') ?? 'no content type'}, which is not JSON`
}
