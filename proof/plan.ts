import type { RuleId } from '../generated/rules.ts'
import { areaOf } from '../harness/common/areas.ts'
import { matcherOf } from '../harness/common/pattern.ts'
import { planeOfRule } from '../harness/planes/index.ts'
import type { Rule } from '../harness/rule/registry.ts'
import { concerns, groupsOf, hiddenBy, together } from './groups.ts'
import { createInstance } from './instance.ts'
import type { Catalog, Job } from './jobs.ts'
import { longTours, tours } from './tour.ts'
import type { Defect, Latitude } from './types.ts'

/** Nothing in the catalogue matches what was asked for. */
export class NothingMatches extends Error {
  override readonly name = 'NothingMatches'
}

/**
 * Areas whose rules name each other as the cause if they are blocked. They are judged on one defect of each of their clauses; only
 * the matrix judges all rules, which takes a second for each defect.
 */
const excusing: ReadonlySet<string> = new Set(['deploy', 'endpoints', 'webhook'])

/** Ids of the rules that one of the patterns takes; none at all take all. */
export function rulesOf({ rules }: Catalog, only: readonly string[]): string[] {
  const matches = anyOf(only)
  return rules.map(({ id }) => id).filter((id) => matches(id))
}

function anyOf(patterns: readonly string[]): (id: string) => boolean {
  const matchers = patterns.map(matcherOf)
  return (id) => matchers.length === 0 || matchers.some((matches) => matches(id))
}

/**
 * The jobs for everything, or for what the patterns match: a defect or latitude by its id, or rules, with all their defects
 * and on every latitude, in groups. `matrix`: also every rule on every defect.
 * @throws NothingMatches
 */
export function planJobs(catalog: Catalog, only: readonly string[], matrix = false): Job[] {
  const { rules, defects, latitudes } = catalog
  const matches = anyOf(only)
  const all = rulesOf(catalog, [])
  const chosen = rulesOf(catalog, only)
  const chosenDefects = defects.filter(({ id, rule }) => matches(id) || matches(rule))
  const named = new Set(only.length === 0 ? [] : latitudes.filter(({ id }) => matches(id)))
  const ids = [...all, ...defects.map(({ id }) => id), ...latitudes.map(({ id }) => id)]
  const vain = only.find((pattern) => !ids.some(matcherOf(pattern)))
  if (vain !== undefined) {
    throw new NothingMatches(
      `no rule, defect or latitude matches ${vain}; plumbline rules lists rules, plumbline serve --list the others`,
    )
  }
  const kinds = new Map(rules.map(({ id, kind }) => [id as string, kind]))
  const known = (ids: readonly string[]) => ids.filter((id) => kinds.has(id))
  const withTour = (wanted: readonly string[]): string[] => {
    const isComplete = wanted.length === all.length || !wanted.some((id) => kinds.get(id) === 'invariant')
    if (isComplete) return [...wanted]
    const tours = rules.filter(({ id }) => wanted.includes(id)).map(tourOf)
    return [...new Set([...wanted, ...known(tours.flat())])]
  }
  const jobOn = (latitude: Latitude, ids: readonly string[]): Job => {
    const wanted = ids.filter((id) => concerns(latitude, id))
    return { kind: 'latitude', id: latitude.id, rules: withTour(wanted), wanted }
  }
  const ofClauses = Map.groupBy(
    chosenDefects.filter(({ rule }) => excusing.has(areaOf(rule))),
    ({ rule, clause }) => `${rule} ${clause}`,
  )
  const excused = [...ofClauses.values()].flatMap(([first]) => first ?? [])
  const { target } = createInstance()
  /** For each member that hides rules: the other members, judged again by those rules. */
  const jobsBeside = (members: readonly Latitude[]): Job[] => {
    if (members.length === 1) return []
    const jobs = members.map((latitude) => {
      const hidden = hiddenBy(latitude, target)
      const others = together(members.filter((one) => one !== latitude))
      return jobOn(
        others,
        chosen.filter((id) => hidden.has(id)),
      )
    })
    return jobs.filter(({ wanted }) => wanted.length > 0)
  }
  const rest = chosen.length === 0 ? [] : latitudes.filter((latitude) => !named.has(latitude))
  const whole = named.size > 0 || chosen.length === 0 ? all : chosen
  return [
    { kind: 'reference', id: 'reference', rules: withTour(whole), wanted: whole },
    ...[...named].map((latitude) => jobOn(latitude, all)),
    ...groupsOf(rest).flatMap((members) => [jobOn(together(members), chosen), ...jobsBeside(members)]),
    ...chosenDefects.map((defect) => defectJob(defect, catalog)),
    ...(matrix ? [] : excused).map(({ id, rule }): Job => {
      const area = all.filter((one) => areaOf(one) === areaOf(rule))
      return { kind: 'area', id, rules: area, wanted: area }
    }),
    ...(matrix ? chosenDefects : []).map(({ id }): Job => ({ kind: 'matrix', id, rules: all, wanted: all })),
  ]
}

/** A defect with its rule, which gets the values that the defect names. */
export function defectJob({ id, rule, tour, variation }: Defect, { rules }: Pick<Catalog, 'rules'>): Job {
  const known = new Set<string>(rules.map((one) => one.id))
  const toured = tour ?? rules.filter((one) => one.id === rule).flatMap(tourOf)
  const own = [...new Set([rule, ...toured])].filter((one) => known.has(one))
  return { kind: 'defect', id, rules: own, wanted: [rule], given: variation ?? {} }
}

/**
 * Scenarios to run beside these rules so that each invariant has exchanges to judge: a tour for each plane with a chosen
 * invariant, unless at least as many of its scenarios are chosen.
 */
export function invariantScenarios(chosen: readonly Rule[]): RuleId[] {
  const planeOf = ({ id }: Rule) => planeOfRule(id).name
  const scenarios = Map.groupBy(
    chosen.filter(({ kind }) => kind === 'scenario'),
    planeOf,
  )
  const isFed = (rule: Rule) => (scenarios.get(planeOf(rule))?.length ?? 0) >= tourOf(rule).length
  return [...new Set(chosen.filter((rule) => !isFed(rule)).flatMap(tourOf))]
}

/** Scenarios of its plane for an invariant; a scenario needs none. */
function tourOf({ id, kind }: Rule): readonly RuleId[] {
  return kind === 'invariant' ? [...(tours[planeOfRule(id).name] ?? []), ...(longTours[id] ?? [])] : []
}
