import { membersOf } from '../harness/exchange/read.ts'
import { createControlledClock } from '../reference/clock/controlled.ts'
import type { ReferenceOptions } from '../reference/options.ts'
import { defaultStyle, type Style, styleChoices } from '../reference/style.ts'
import type { Catalog } from './jobs.ts'
import type { Latitude, Variant } from './types.ts'

export interface Ledger {
  /** Ids of the rows. */
  readonly ids: readonly string[]
  /** Every id that there ever was (`spec/rules/ids.txt`). */
  readonly ever: readonly string[]
  /** The entries of `spec/rules/retired.yaml`. */
  readonly retired: readonly unknown[]
}

/**
 * The faults of the ledger: a row without a function or a judge of load, a row with both, either of them without a row,
 * an id that vanished.
 */
export function ledgerFaults(
  { ids, ever, retired }: Ledger,
  functions: readonly string[],
  load: readonly string[] = [],
): string[] {
  const gone = new Map(retired.map((entry) => [String(membersOf(entry)?.id), membersOf(entry)]))
  const known = new Set(ever)
  return [
    ...without(ids, [...functions, ...load]).map(
      (id) => `rule ${id} has a row and no function: write it in suites/, or retire the row`,
    ),
    ...without(functions, ids).map((id) => `rule ${id} has a function and no row: add it to spec/rules/`),
    ...without(load, ids).map((id) => `rule ${id} has a judge in load/ and no row: add it to spec/rules/`),
    ...without(load, without(load, functions)).map(
      (id) => `rule ${id} has a function and a judge in load/: take it out of harness/rule/load-rules.ts`,
    ),
    ...repeated(ids).map((id) => `rule ${id} has two rows: ids are unique`),
    ...ids.filter((id) => !known.has(id)).map((id) => `rule ${id} is not in spec/rules/ids.txt: add the line`),
    ...without(ever, [...ids, ...gone.keys()]).map(
      (id) => `rule ${id} vanished: give it an entry in spec/rules/retired.yaml that says why`,
    ),
    ...[...gone].flatMap(([id, entry]) => [
      ...(ids.includes(id) ? [`rule ${id} is retired and has a row: ids are never used again`] : []),
      ...(known.has(id) ? [] : [`retired rule ${id} is not in spec/rules/ids.txt: add the line`]),
      ...(typeof entry?.why === 'string' && entry.why !== '' ? [] : [`retired rule ${id} does not say why`]),
      ...successorFaults(id, entry?.replacedBy, ids),
    ]),
  ]
}

/** The faults of the catalog before anything is run: ids that repeat or are not kebab-case, rules that do not exist. */
export function catalogFaults({ rules, defects, latitudes }: Catalog): string[] {
  const variants: readonly Variant[] = [...defects, ...latitudes]
  const functions = new Map(rules.map(({ id, kind }) => [id as string, kind]))
  const varied = new Map(rules.map((rule) => [rule.id as string, rule.kind === 'scenario' ? (rule.varies ?? []) : []]))
  return [
    ...repeated(variants.map(({ id }) => id)).map((id) => `two defects or latitudes are called ${id}: ids are unique`),
    ...variants
      .filter(({ id }) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id))
      .map(({ id }) => `${id} is not a kebab-case id of small letters and digits`),
    ...variants
      .filter(({ says }) => !/^[\p{Lu}\p{Ll}\d"'\u2018-\u201d{[].*[.]$/u.test(says))
      .map(({ id, says }) => `${id} says "${says}", which is not a sentence that ends with a full stop`),
    ...variants
      .filter(({ change, tool, wrap }) => change === undefined && tool === undefined && wrap === undefined)
      .map(({ id }) => `${id} changes nothing: it needs change, wrap or tool`),
    ...latitudes
      .filter((latitude) => latitude.about === undefined && isWrapper(latitude))
      .map(({ id }) => `latitude ${id} wraps the target: "about" says which part of the traffic it changes`),
    ...defects
      .filter(({ rule }) => !functions.has(rule))
      .map(({ id, rule }) => `defect ${id} is of rule ${rule}, which has no function`),
    ...defects
      .filter(({ rule, tour }) => tour !== undefined && functions.get(rule) !== 'invariant')
      .map(({ id, rule }) => `defect ${id} names a tour, but ${rule} is a scenario and needs none`),
    ...defects.flatMap(({ id, tour = [] }) =>
      tour
        .filter((rule) => functions.get(rule) !== 'scenario')
        .map((rule) => `the tour of defect ${id} names ${rule}, which is not a scenario`),
    ),
    ...latitudes.flatMap(({ id, verdicts = {}, readings = {} }) =>
      [...Object.keys(verdicts), ...Object.keys(readings)]
        .filter((rule) => !functions.has(rule))
        .map((rule) => `latitude ${id} names rule ${rule}, which has no function`),
    ),
    ...defects.flatMap(({ id, rule, tour = [], variation = {} }) =>
      without(
        Object.keys(variation),
        [rule, ...tour].flatMap((one) => varied.get(one) ?? []),
      ).map((dimension) => `defect ${id} names a value of ${dimension}, which ${rule} does not vary`),
    ),
  ]
}

/** Rules that no defect breaks. */
export function rulesWithoutDefect({ rules, defects }: Pick<Catalog, 'rules' | 'defects'>): string[] {
  return without(
    rules.map(({ id }) => id),
    defects.map(({ rule }) => rule),
  )
}

/** Choices of the style of the reference that no latitude makes. */
export function freedomFaults({ latitudes }: Pick<Catalog, 'latitudes'>): string[] {
  const styles = latitudes.map(({ change = same }) => ({ ...defaultStyle, ...change(plainOptions()).style }))
  return Object.entries(styleChoices).flatMap(([name, choices]) =>
    choices
      .filter((choice) => !styles.some((style) => style[name as keyof Style] === choice))
      .map((choice) => `no latitude makes the choice ${name}: ${choice}; add one to proof/latitudes/`),
  )
}

function successorFaults(id: string, replacedBy: unknown, ids: readonly string[]): string[] {
  if (replacedBy === undefined || ids.includes(String(replacedBy))) return []
  return [`retired rule ${id} is replaced by ${replacedBy}, which has no row`]
}

function without(these: readonly string[], those: readonly string[]): string[] {
  const present = new Set(those)
  return these.filter((id) => !present.has(id))
}

function repeated(ids: readonly string[]): string[] {
  return [...new Set(ids.filter((id, place) => ids.indexOf(id) !== place))]
}

function isWrapper({ change = same, wrap }: Latitude): boolean {
  return wrap !== undefined || [change(plainOptions()).wrapFetch ?? []].flat().length > 0
}

function plainOptions(): ReferenceOptions {
  return { clock: createControlledClock(0).clock }
}

function same<T>(value: T): T {
  return value
}
