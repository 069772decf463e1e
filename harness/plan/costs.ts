import measured from './costs.json' with { type: 'json' }

/** A rule that costs nothing. */
const nothing = {
  requests: 0,
  /** From its first request to its last, its waits and the pauses between polls included. */
  ms: 0,
  /** From its first request until it needs no worker any more. */
  workerMs: 0,
  pods: 0,
  /** How long its pods live, one after the other. */
  podMs: 0,
  jobs: 0,
}

/** The cost of a rule: means over runs on the reference with a controlled clock. */
export type Cost = Readonly<typeof nothing>

/**
 * Costs by rule. The name of a plane holds those that belong to no rule (shared fixtures, pacing). `unused`: requests
 * that a quota grants and nobody sends.
 */
export type Costs = Readonly<Record<string, Cost>>

/**
 * `free`: unlimited quotas. `paced`: 60 requests a minute, with few polls. `atOnce`: free, and pods are RUNNING when
 * they are created.
 */
export const situations = ['free', 'paced', 'atOnce'] as const
export type Situation = (typeof situations)[number]

/** Members that are 0 are left out, as are entries that equal those of the first situation. */
const costs: Readonly<Record<Situation, Readonly<Record<string, Partial<Cost>>>>> = measured

/** The cost of a rule; if it was not measured, the medians of its area. */
export function costOfRule({ id, area }: { readonly id: string; readonly area: string }, situation: Situation): Cost {
  const cost = costs[situation][id] ?? costs.free[id]
  return cost === undefined ? medianOf(area, situation) : { ...nothing, ...cost }
}

/**
 * The overhead of a run for each rule that makes a pod: on a plane, in shared fixtures and for pacing; or `unused`
 * quota.
 */
export function overheadOfOne(name: string, situation: Situation): Cost {
  const makers = Object.values(costs.free).filter(({ pods = 0 }) => pods > 0).length - 1
  const { requests = 0, pods = 0 } = costs[situation][name] ?? costs.free[name] ?? nothing
  return { ...nothing, requests: requests / makers, pods: pods / makers }
}

const medians = new Map<string, Cost>()

function medianOf(area: string, situation: Situation): Cost {
  const key = `${situation} ${area}`
  const known = medians.get(key)
  if (known !== undefined) return known
  const ofArea = Object.keys(costs.free).filter((id) => id.startsWith(`${area}.`))
  const member = (name: keyof Cost) => {
    const sorted = ofArea.map((id) => costOfRule({ id, area }, situation)[name]).sort((a, b) => a - b)
    return sorted[Math.floor(sorted.length / 2)] ?? 0
  }
  const median = Object.fromEntries(Object.keys(nothing).map((name) => [name, member(name as keyof Cost)]))
  medians.set(key, median as unknown as Cost)
  return medians.get(key) ?? nothing
}
