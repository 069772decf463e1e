import type { Rule } from '../../harness/rule/registry.ts'
import type { Judgement } from '../../harness/run/judge.ts'
import type { Verdict } from '../../verdicts/verdicts.ts'
import { createCrew } from '../crew.ts'
import { everything, type Job } from '../jobs.ts'
import { judgeOn } from '../judge.ts'
import { inParallel } from '../pool.ts'
import { draw } from '../sample.ts'
import { tours } from '../tour.ts'
import { nameOf } from './change.ts'
import { casesOf, createPlaces, type Place } from './enumerate.ts'

interface MalformedOptions {
  /** How many cases to draw; default: all. */
  readonly sample?: number
  readonly seed?: number
  readonly onProgress?: (progress: { readonly done: number; readonly total: number; readonly what: string }) => void
}

export interface MalformedResult {
  /** Cases that there are. */
  readonly cases: number
  /** Names of those that were tried, in their order. */
  readonly tried: readonly string[]
  /** Rules that a malformed response crashed: always a fault of the harness. */
  readonly broken: readonly { readonly malformed: string; readonly rule: string; readonly reason: string | null }[]
  /** Cases on which every verdict was the usual one. */
  readonly unnoticed: readonly string[]
}

/** Scenarios that are tried on one case, of those that get such a response. */
const scenariosEach = 6
const besideEachOther = 24

/**
 * Tries malformed responses: each field of each JSON response of the reference dropped, given another type, set to null, or made
 * an object without a text, one at a time in every such response. No rule may crash on any of them.
 */
export async function tryMalformedResponses(options: MalformedOptions = {}): Promise<MalformedResult> {
  const { sample, seed = 1, onProgress } = options
  const { rules } = everything()
  const invariants = rules.filter(({ kind }) => kind === 'invariant')
  const scenarios = rules.filter(({ kind }) => kind === 'scenario')
  const places = createPlaces()
  const usual = await inParallel(scenarios, besideEachOther, (rule) =>
    judgeOn({ variants: [], rules: [rule], seed, exchanged: (exchange) => places.take(exchange, rule.id) }),
  )
  const verdicts = new Map(usual.flat().map(({ rule, verdict }) => [rule, verdict]))
  const all = places.all().flatMap((place) => casesOf(place).map((malformed) => ({ malformed, place })))
  const drawn = sample === undefined ? all : draw(all, sample, seed, 'malformed answers')
  const jobs = drawn.map(({ malformed, place }): Job => {
    const chosen = [...invariants, ...scenariosFor(place, scenarios)].map(({ id }) => id)
    return { kind: 'malformed', id: nameOf(malformed), malformed, rules: chosen, wanted: chosen }
  })
  let done = 0
  const crew = createCrew({})
  const judgements = await crew
    .run(jobs, ({ id }) => onProgress?.({ done: ++done, total: jobs.length, what: id }))
    .finally(crew.close)
  const tries = jobs.map(({ id }, place) => ({ name: id, judgements: judgements[place] ?? [] }))
  return {
    cases: all.length,
    tried: tries.map(({ name }) => name),
    broken: tries.flatMap(({ name, judgements }) =>
      judgements
        .filter(({ verdict }) => verdict === 'broken')
        .map(({ rule, reason }) => ({ malformed: name, rule, reason })),
    ),
    unnoticed: tries.filter(({ judgements }) => !isNoticed(judgements, verdicts)).map(({ name }) => name),
  }
}

/** Some of the scenarios that get such a response, those of the tour first. */
function scenariosFor({ seenBy }: Place, scenarios: readonly Rule[]): Rule[] {
  const tour = new Set<string>(tours.pods)
  const given = scenarios.filter(({ id }) => seenBy.has(id))
  return [...given.filter(({ id }) => tour.has(id)), ...given.filter(({ id }) => !tour.has(id))].slice(0, scenariosEach)
}

/** Of an invariant only a finding counts: a few scenarios need not exercise it. */
function isNoticed(judgements: readonly Judgement[], usual: ReadonlyMap<string, Verdict>): boolean {
  return judgements.some(({ rule, verdict }) => {
    const before = usual.get(rule)
    return before === undefined ? ['failed', 'advice', 'broken'].includes(verdict) : verdict !== before
  })
}
