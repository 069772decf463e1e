import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import type { Context } from '../../harness/rule/context.ts'
import { type Window, windowsIn } from './windows-in.ts'

/** A read with the full key, and the windows that its response shows. */
export interface WindowRead {
  readonly response: ApiResponse
  readonly windows: readonly Window[]
}

export async function readWindows({ inconclusive, pods }: Context): Promise<WindowRead> {
  const response = await pods.list()
  if (!isSuccess(response.status)) inconclusive(`the list was answered ${response.status}`)
  return { response, windows: windowsIn(response.exchange) }
}

/** By how much r of a window fell from each read to the next; NaN if one does not show it. */
export function fallsOf(name: string, reads: readonly WindowRead[]): readonly number[] {
  const left = reads.map(({ windows }) => windows.find((window) => window.name === name)?.r ?? Number.NaN)
  return left.slice(1).map((r, n) => (left[n] ?? Number.NaN) - r)
}
