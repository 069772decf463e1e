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

/** Costs by rule. The name of a plane holds those that belong to no rule (shared fixtures, pacing). */
export type Costs = Readonly<Record<string, Cost>>

/** Members that are 0 are left out. */
const costs: Readonly<Record<string, Partial<Cost>>> = measured

/** The cost of a rule; if it was not measured, the medians of its area. */
export function costOfRule({ id, area }: { readonly id: string; readonly area: string }): Cost {
  const cost = costs[id]
  return cost === undefined ? medianOf(area) : { ...nothing, ...cost }
}

/** The overhead of a run on a plane, in shared fixtures and for pacing, for each rule that makes a pod. */
export function overheadOfOne(plane: string): Pick<Cost, 'requests' | 'pods'> {
  const makers = Object.values(costs).filter(({ pods = 0 }) => pods > 0).length - 1
  const { requests = 0, pods = 0 } = costs[plane] ?? nothing
  return { requests: requests / makers, pods: pods / makers }
}

const medians = new Map<string, Cost>()

function medianOf(area: string): Cost {
  const known = medians.get(area)
  if (known !== undefined) return known
  const ofArea = Object.keys(costs).filter((id) => id.startsWith(`${area}.`))
  const member = (name: keyof Cost) => {
    const sorted = ofArea.map((id) => costOfRule({ id, area })[name]).sort((a, b) => a - b)
    return sorted[Math.floor(sorted.length / 2)] ?? 0
  }
  const median = Object.fromEntries(Object.keys(nothing).map((name) => [name, member(name as keyof Cost)]))
  medians.set(area, median as unknown as Cost)
  return medians.get(area) ?? nothing
}
