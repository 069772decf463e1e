import type { Cost } from './costs.ts'

/** The rules that a budget left out and that run after all if time is left: plain data. */
export interface Reserve {
  /** Most important first. */
  readonly rules: readonly ReservedRule[]
  /** Requests a minute that the windows grant that a run waits for; null if there are none. */
  readonly perMinute: number | null
  /** Requests that the planned rules leave of the windows that a run does not wait for; null if there are none. */
  readonly spareRequests: number | null
}

export interface ReservedRule extends Pick<Cost, 'ms'> {
  readonly rule: string
  /** Requests that use a quota of the account, its share of the overhead included; 0 on other planes. */
  readonly requests: number
}

export const noReserve: Reserve = { rules: [], perMinute: null, spareRequests: null }

/** A rule may take longer than planned by this factor and still end within the budget. */
const margin = 1.25

/** The reserve of a run. `leftMs`: real time until rules without a verdict are ended. */
export function createReserve({ rules, perMinute, spareRequests }: Reserve, leftMs: () => number) {
  const running = new Set<string>()
  const costs = new Map(rules.map((rule) => [rule.rule, rule]))
  let spare = spareRequests ?? Number.POSITIVE_INFINITY

  function fits({ ms, requests }: ReservedRule): boolean {
    const sending = [...running].reduce((sum, rule) => sum + (costs.get(rule)?.requests ?? 0), requests)
    const grantedMs = perMinute === null || requests === 0 ? 0 : (sending * 60_000) / perMinute
    return requests <= spare && Math.max(ms, grantedMs) * margin <= leftMs()
  }

  return {
    /** The entries of `waiting` that fit into the time that is left, most important first. */
    fitting<Entry extends { readonly rule: string }>(waiting: readonly Entry[]): Entry[] {
      const fitting = rules.filter(fits)
      return fitting.flatMap(({ rule }) => waiting.filter((entry) => entry.rule === rule))
    },
    begin(rule: string): void {
      running.add(rule)
      spare -= costs.get(rule)?.requests ?? 0
    },
    end: (rule: string) => void running.delete(rule),
  }
}
