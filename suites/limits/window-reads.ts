import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import type { Context } from '../../harness/rule/context.ts'
import { type Window, windowsIn } from './windows-in.ts'

/** A read with the full key, and the windows that its response shows. */
export interface WindowRead {
  readonly response: ApiResponse
  readonly windows: readonly Window[]
}

export async function readWindows({ blocked, inconclusive, pods }: Context): Promise<WindowRead> {
  const response = await pods.list()
  if (!isSuccess(response.status)) inconclusive(`the list was answered ${response.status}`)
  const windows = windowsIn(response.exchange)
  if (windows.length === 0) blocked('limits.pods.headers-on-success', 'the list shows no window of a limit')
  return { response, windows }
}

/** How one window counted the requests of a trial. */
export interface Counted {
  readonly name: string
  readonly isRight: boolean
  /** A fault for certain, if it comes with other numbers of requests too; null if something else may explain it. */
  readonly fault: { readonly expected: string; readonly observed: string } | null
}

/** Trials that must show the same fault. */
const proof = 3

/**
 * Passes with the first trial in which each window counts as it should, and fails with a window that shows the same fault three
 * times. Anything else comes from a window that gives back, or from others who use the account.
 * @param trials numbers of requests; they differ, so that what others send does not look the same each time
 */
export async function judgeTrials(
  { check, inconclusive }: Context,
  clause: string,
  trials: readonly number[],
  attempt: (requests: number) => Promise<{ readonly counted: readonly Counted[]; readonly response: ApiResponse }>,
): Promise<void> {
  const seen = new Map<string, number>()
  for (const requests of trials) {
    const { counted, response } = await attempt(requests)
    for (const { name, fault } of counted) {
      if (fault === null) continue
      const id = `${name} ${fault.observed}`
      seen.set(id, (seen.get(id) ?? 0) + 1)
      const [expected, observed] = [`r of ${name} ${fault.expected}`, `r of ${name} ${fault.observed}`]
      check(clause).that(seen.get(id) !== proof, expected, observed, response)
    }
    if (counted.length > 0 && counted.every(({ isRight }) => isRight)) return check(clause).saw(response)
  }
  inconclusive('r changes for other reasons too: it is given back meanwhile, or others use the account')
}

/** By how much r of a window fell from each read to the next; NaN if one does not show it. */
export function fallsOf(name: string, reads: readonly WindowRead[]): readonly number[] {
  const left = reads.map(({ windows }) => windows.find((window) => window.name === name)?.r ?? Number.NaN)
  return left.slice(1).map((r, n) => (left[n] ?? Number.NaN) - r)
}
