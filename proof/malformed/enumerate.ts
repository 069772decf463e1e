import { type Exchange, jsonOf } from '../../harness/exchange/exchange.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import { changeKinds, isMalformed, type MalformedCase, pathOf, type Step } from './change.ts'

/** A place in the responses of a normal run. */
export interface Place extends Omit<MalformedCase, 'change'> {
  /** Scenarios that were given such a response, in a run of their own. */
  readonly seenBy: Set<string>
  /** True if anything but null was seen there. */
  isFilled: boolean
}

/** Collects every place of every JSON answer. */
interface Places {
  /** `rule`: the scenario that was run. */
  take(exchange: Exchange, rule: string): void
  /** In the order in which they were first seen. */
  all(): Place[]
}

export function createPlaces(): Places {
  const places = new Map<string, Place>()

  function walk(at: Omit<Place, 'seenBy' | 'isFilled'>, rule: string, value: unknown): void {
    const key = `${at.operation} ${at.status} ${pathOf(at.path)}`
    const place = places.get(key) ?? { ...at, seenBy: new Set(), isFilled: false }
    places.set(key, place)
    place.seenBy.add(rule)
    if (value !== null) place.isFilled = true
    // What a worker puts out is up to the rule.
    if (at.path.at(-1) === 'output') return
    const into = (step: Step, member: unknown) => walk({ ...at, path: [...at.path, step] }, rule, member)
    if (Array.isArray(value)) for (const element of value) into(null, element)
    else for (const [name, member] of Object.entries(membersOf(value) ?? {})) into(name, member)
  }

  return {
    take({ operation, response }, rule) {
      const value = response === null ? undefined : jsonOf(response.body)
      if (response === null || value === undefined || !isMalformed(operation)) return
      walk({ operation, status: response.status, path: [] }, rule, value)
    },
    all: () => [...places.values()],
  }
}

/** The cases of a place: each change that makes a difference there. */
export function casesOf({ operation, status, path, isFilled }: Place): MalformedCase[] {
  return changeKinds
    .filter((change) => isFilled || change !== 'null')
    .map((change) => ({ operation, status, path, change }))
}
