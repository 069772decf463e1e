import type { ApiResponse } from '../../client/api-response.ts'
import { isSuccess } from '../../exchange/exchange.ts'
import { type Members, membersOf } from '../../exchange/read.ts'
import type { QueueClient } from './client.ts'

/** The address of a job. */
export interface JobAt {
  readonly id: string
  readonly queue: QueueClient
  /** The response to its submission, if it is known. */
  readonly response?: ApiResponse
}

/** The state in which a job was last seen. */
export interface Followed {
  /** A job status, or `gone` after a 404. */
  readonly status: string
  /** The members of the last response; null if it was not a success with an object. */
  readonly job: Members | null
  readonly response: ApiResponse
  /** True if it got there within the bound. */
  readonly settled: boolean
}

/** Statuses of a job that needs nothing more. */
export const finalStatuses: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT', 'gone'])

/** The end of a job that a response shows; null if it shows none. */
export function endIn(response: ApiResponse): Followed | null {
  const status = statusOf(response)
  return finalStatuses.has(status) ? { status, job: membersOf(response.json), response, settled: true } : null
}

/** A job status, `gone` after a 404, or `HTTP NNN`. */
export function statusOf(response: ApiResponse): string {
  if (response.status === 404) return 'gone'
  const status = isSuccess(response.status) ? membersOf(response.json)?.status : undefined
  return typeof status === 'string' ? status : `HTTP ${response.status}`
}
