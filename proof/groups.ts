import { isDeepStrictEqual } from 'node:util'
import { rules } from '../generated/rules.ts'
import { unjudgedParts } from '../harness/claims/claims.ts'
import { planeOfRule } from '../harness/planes/index.ts'
import { createControlledClock } from '../reference/clock/controlled.ts'
import { composeOptions, listOf } from '../reference/options.ts'
import type { Target } from '../target/types.ts'
import { createInstance } from './instance.ts'
import type { Latitude, Variant } from './types.ts'

const separator = '+'

/**
 * Latitudes that one instance takes together, so that one run judges them all: a real platform takes several freedoms at once.
 * Those that change the same option, function, line of the target file or reading, hide the same rule, or are about the same are apart.
 */
export function groupsOf(latitudes: readonly Latitude[]): Latitude[][] {
  const alone = latitudes.filter(({ about }) => about === 'everything')
  const others = latitudes.filter((latitude) => !alone.includes(latitude))
  // Omitted clauses and exchanges are compared only if all members of a group merely lack something.
  const kinds = [true, false].map((isLacking) => others.filter(({ onlyLacks = false }) => onlyLacks === isLacking))
  return [...alone.map((latitude) => [latitude]), ...kinds.flatMap(compatible)]
}

/** True if a rule is of a plane that the latitude concerns. */
export function concerns(latitude: Latitude, rule: string): boolean {
  const planes: readonly string[] | undefined = latitude.planes
  return planes?.includes(planeOfRule(rule).name) ?? true
}

/** Rules that this latitude leaves without a verdict or with fewer parts, so that they judge no other latitude beside it. */
export function hiddenBy({ verdicts = {}, file }: Latitude, target: Target): Set<string> {
  const undecided = Object.entries(verdicts).filter(([, verdict]) => verdict !== 'advice')
  const changed = file?.(target) ?? target
  const smaller = rules.filter((row) => unjudgedParts(changed, row).length > 0)
  return new Set([...undecided.map(([id]) => id), ...smaller.map(({ id }) => id)])
}

function compatible(latitudes: readonly Latitude[]): Latitude[][] {
  const groups: { readonly members: Latitude[]; readonly changed: Set<string>; readonly planes: Set<string> }[] = []
  const { target } = createInstance()
  const changes = latitudes.map((latitude) => ({ latitude, changed: changedBy(latitude, target) }))
  // Those of all planes go first, so that few groups run every rule. Of the rest, those about something go before the others:
  // most are about a few things, so they open the groups that the others then fill evenly.
  const rank = ({ planes, about }: Latitude) => (planes === undefined ? 0 : 2) + (about === undefined ? 1 : 0)
  for (const { latitude, changed } of changes.toSorted((a, b) => rank(a.latitude) - rank(b.latitude))) {
    const planes: ReadonlySet<string> = new Set(latitude.planes ?? everyPlane)
    const added = (group: { readonly planes: ReadonlySet<string> }) => rulesOn(planes.difference(group.planes))
    const free = groups.filter((group) => group.changed.isDisjointFrom(changed))
    const group = free.toSorted((a, b) => added(a) - added(b) || a.members.length - b.members.length)[0]
    if (group === undefined) groups.push({ members: [latitude], changed: new Set(changed), planes: new Set(planes) })
    else {
      group.members.push(latitude)
      for (const name of changed) group.changed.add(name)
      for (const plane of planes) group.planes.add(plane)
    }
  }
  return groups.map(({ members }) => members)
}

/** The variants that the id of a group, or of one variant, names. */
export function membersOf<V extends Variant>(id: string, variants: readonly V[]): V[] {
  const ids = new Set(id.split(separator))
  return variants.filter((variant) => ids.has(variant.id))
}

/** The expectations of latitudes that share one instance. */
export function together(members: readonly Latitude[]): Latitude {
  const [first] = members
  if (first !== undefined && members.length === 1) return first
  const verdicts = Object.assign({}, ...members.map((member) => member.verdicts))
  const readings: Record<string, Readonly<Record<string, string | null>>> = {}
  for (const member of members) {
    for (const [rule, values] of Object.entries(member.readings ?? {}))
      readings[rule] = { ...readings[rule], ...values }
  }
  return {
    id: members.map(({ id }) => id).join(separator),
    says: members.map(({ says }) => says).join(' '),
    ...(members.every(({ planes }) => planes !== undefined)
      ? { planes: [...new Set(members.flatMap(({ planes = [] }) => planes))] }
      : {}),
    onlyLacks: members.every(({ onlyLacks = false }) => onlyLacks),
    file: (target) => members.reduce((changed, { file }) => file?.(changed) ?? changed, target),
    verdicts,
    readings,
  }
}

/** Names of the options, functions, lines of the target file, rules and readings that a latitude changes or hides. */
function changedBy(latitude: Latitude, target: Target): Set<string> {
  const { change, file, verdicts = {}, readings = {}, about } = latitude
  const { wrapFetch: _, parts, ...options } = change?.(base) ?? base
  return new Set([
    ...differing('option', plain, options),
    ...listOf(parts)
      .flatMap(Object.keys)
      .filter((name) => about === undefined || !ofManyFields.has(name))
      .map((name) => `part ${name}`),
    ...[about ?? []].flat().map((one) => `about ${one}`),
    ...Object.keys(verdicts),
    // Two that hide the same rule would hide it from the others even if one is left out.
    ...hiddenBy(latitude, target),
    ...(file === undefined ? [] : differing('file', target, file(target))),
    ...Object.entries(readings).flatMap(([rule, values]) =>
      Object.keys(values).map((name) => `reading ${rule} ${name}`),
    ),
  ])
}

/** Functions that settle every field of a resource. `about` says which of them a latitude changes. */
const ofManyFields: ReadonlySet<string> = new Set(['buildPod', 'settleEndpoint'])

const base = composeOptions(createControlledClock(0), {})
const { wrapFetch: _, parts: __, ...plain } = base

const countOfPlane = Map.groupBy(rules, ({ id }) => planeOfRule(id).name)
const everyPlane = [...countOfPlane.keys()]

/** How many rules judge these planes. */
function rulesOn(planes: ReadonlySet<string>): number {
  return [...planes].reduce((count, plane) => count + (countOfPlane.get(plane)?.length ?? 0), 0)
}

/** The members that differ, and inside plain objects theirs, up to two levels deep. */
function differing(name: string, before: unknown, after: unknown, depth = 2): string[] {
  if (isDeepStrictEqual(before, after)) return []
  if (depth === 0 || !isPlain(after) || !(isPlain(before) || before === undefined)) return [name]
  const old: Readonly<Record<string, unknown>> = before ?? {}
  return [...new Set([...Object.keys(old), ...Object.keys(after)])].flatMap((key) =>
    differing(`${name} ${key}`, old[key], after[key], depth - 1),
  )
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
