import { stringify } from 'yaml'
import { allPlanes, sectionOf } from '../harness/planes/index.ts'
import type { Plane } from '../harness/planes/plane.ts'
import { defaultBudget } from '../target/defaults.ts'
import { writeSection } from '../target/section.ts'
import { defaultTolerances, type Tolerances } from '../target/tolerances.ts'
import type { ReceiverAddress, Target } from '../target/types.ts'
import { filled, unlike } from '../target/values.ts'

/**
 * A target as the text of a target file that says the same; what is a default is left out. Keys are written as they
 * are, so only example keys of the reference make a file that can be read again.
 */
export function writeTarget(target: Target): string {
  const { name, receiver, network, keys, grants, absent, clock, tolerances, budget, known, load = {} } = target
  const { restricted, altered: _, shortened: __, recased: ___, ...plain } = keys
  return stringify({
    plumbline: 1,
    name,
    ...Object.fromEntries(allPlanes().flatMap((plane) => written(plane, target))),
    ...(receiver === null ? {} : { receiver: receiverOf(receiver) }),
    // Of the files only the texts are known.
    ...filled('network', filled('headers', network.headers)),
    keys: {
      ...plain,
      ...(restricted === undefined ? {} : { restricted: { key: restricted, ...grants } }),
    },
    ...filled('absent', absent),
    ...(clock === 'real' ? {} : { clock }),
    ...filled('tolerances', tolerancesOf(tolerances)),
    ...filled('budget', unlike(budget, defaultBudget)),
    ...filled('load', load),
    ...(known.length === 0
      ? {}
      : { known: known.map(({ clause, ...rest }) => ({ ...rest, ...(clause === null ? {} : { clause }) })) }),
  })
}

function written(plane: Plane, target: Target): [name: string, section: object][] {
  const given = sectionOf(target, plane.name)
  if (given === null) return []
  const { headers: _, ...section } = given
  return [[plane.name, plane.write?.(section) ?? writeSection(plane.operations, section)]]
}

function receiverOf({ listen, url }: ReceiverAddress): Record<string, string> {
  return { listen, ...(url === '' ? {} : { url }) }
}

function tolerancesOf(tolerances: Tolerances): Record<string, string> {
  const changed = Object.entries(unlike(tolerances, defaultTolerances)) as [string, number][]
  return Object.fromEntries(
    changed.map(([name, value]) => [name.replace(/(Ms|S)$/, ''), name.endsWith('Ms') ? `${value}ms` : `${value}s`]),
  )
}
