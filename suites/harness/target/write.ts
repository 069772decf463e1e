import { isDeepStrictEqual } from 'node:util'
import { stringify } from 'yaml'
import { defaultBudget, defaultPaths, defaultPlane, defaultTolerances } from './defaults.ts'
import type { PodPlane, Target, Tolerances } from './types.ts'

/**
 * A target as the text of a target file that says the same; what is a default is left out. Keys are written as they
 * are, so only example keys of the reference make a file that can be read again.
 */
export function writeTarget(target: Target): string {
  const { name, pods, keys, grants, absent, clock, tolerances, budget, known } = target
  const { restricted, ...plain } = keys
  return stringify({
    plumbline: 1,
    name,
    ...(pods === null ? {} : { pods: planeOf(pods) }),
    keys: {
      ...plain,
      ...(restricted === undefined ? {} : { restricted: { key: restricted, ...grants } }),
    },
    ...filled('absent', absent),
    ...(clock === 'real' ? {} : { clock }),
    ...filled('tolerances', tolerancesOf(tolerances)),
    ...filled('budget', unlike(budget, defaultBudget)),
    ...(known.length === 0
      ? {}
      : { known: known.map(({ clause, ...rest }) => ({ ...rest, ...(clause === null ? {} : { clause }) })) }),
  })
}

function planeOf({ url, paths, recipes, ...rest }: PodPlane): Record<string, unknown> {
  const given = Object.entries(unlike(rest, defaultPlane)).filter(([, value]) => value !== null)
  return {
    url,
    ...filled('paths', unlike(paths, defaultPaths)),
    ...Object.fromEntries(given),
    ...filled('statuses', recipes),
  }
}

function tolerancesOf(tolerances: Tolerances): Record<string, string> {
  const changed = Object.entries(unlike(tolerances, defaultTolerances)) as [string, number][]
  return Object.fromEntries(
    changed.map(([name, value]) => [name.replace(/(Ms|S)$/, ''), name.endsWith('Ms') ? `${value}ms` : `${value}s`]),
  )
}

function unlike<T extends object>(value: T, standard: object): Partial<T> {
  const other = standard as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(value).filter(([name, own]) => !isDeepStrictEqual(own, other[name])),
  ) as Partial<T>
}

function filled(name: string, value: object): Record<string, unknown> {
  return Object.keys(value).length === 0 ? {} : { [name]: value }
}
