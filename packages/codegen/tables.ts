import { readBounds } from './bounds.ts'
import { readConstraints } from './constraints.ts'
import { literal, type Output, union, withHeader } from './header.ts'
import { sourcesOf } from './headings.ts'
import type { Document, Inputs, Schema, Source } from './inputs.ts'

const UNITS: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3600, day: 86400 }

type Rows<T> = Readonly<Record<string, T>>

const NAMES = [
  'actions',
  'transitions',
  'rates',
  'podWindows',
  'durations',
  'quotas',
  'problemStatuses',
  'serverlessStatuses',
] as const

const TYPES = `/** An action: the statuses that permit it, the status it ends in, the status of the response. */
export interface Transition {
  readonly from: readonly PodStatus[]
  readonly to: PodStatus
  readonly answer: number
}

/** Requests a window, and requests at once (null: no such limit), of one queue operation on one endpoint. */
export interface Rate {
  readonly path: string
  readonly method: string
  readonly requests: number
  readonly windowSeconds: number
  readonly concurrent: number | null
}

/** A window of the pod API; its quota is nowhere stated. */
export interface PodWindow {
  readonly name: string
  readonly seconds: number
}

/** A status of a response and when it is given. */
export interface StatusCondition {
  readonly status: number
  readonly condition: string
}

/** The constraints of one number in the document; a missing member is no constraint. */
export interface Bound {
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: number
}

/** A bound of which the document states these. */
type Stated<Names extends keyof Bound> = Bound & Required<Pick<Bound, Names>>

/** Every table of the description. An implementation takes a value of this type, so that a changed copy can be given. */
export interface Tables {
  readonly actions: { readonly [S in PodStatus]: readonly PodAction[] }
  readonly transitions: { readonly [A in PodAction]: Transition }
  readonly rates: { readonly [O in RateOperation]: Rate }
  readonly podWindows: readonly PodWindow[]
  /** Milliseconds. */
  readonly durations: { readonly [N in DurationName]: number }
  readonly quotas: { readonly [N in QuotaName]: number }
  readonly problemStatuses: readonly StatusCondition[]
  readonly serverlessStatuses: readonly StatusCondition[]
  readonly bounds: Bounds
}

type TableName = Exclude<keyof Tables, 'bounds'>`

const CONSTRAINTS = `/** A status, or every status of a class. */
export type Answer = number | '2XX' | '4XX'

/** The responses that each named constraint of a request permits, the usual one first. */`

const FREEZE = `function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen)
  return value
}`

/** tables.ts: the tables, the bounds that the document sets, its enums and the required fields of a pod. */
export function generateTables({ document, tables, headings, openapi }: Inputs): Output {
  const sources = sourcesOf(headings)
  const rows = <T>(name: string): Rows<T> => tableNamed<T>(tables, name, sources).rows
  const [statuses, actions] = [enumOf(document, 'PodStatus'), enumOf(document, 'PodAction')]
  const bounds = readBounds(document)
  const permitted = rows<string[]>('actions')
  const transitions = rows<{ from: string[] }>('transitions')
  checkAgreement(statuses, actions, permitted, transitions)
  const durations = Object.entries(rows<string>('durations')).map(([name, text]) => [
    `${name}Ms`,
    secondsOf(text) * 1000,
  ])
  const rates = Object.entries(rows<{ window: string }>('rates')).map(([name, { window, ...rate }]) => [
    name,
    { ...rate, windowSeconds: secondsOf(window) },
  ])
  const quotas = rows<number>('quotas')
  const value = {
    actions: permitted,
    transitions,
    rates: Object.fromEntries(rates),
    podWindows: Object.entries(rows<string>('podWindows')).map(([name, text]) => ({ name, seconds: secondsOf(text) })),
    durations: Object.fromEntries(durations),
    quotas,
    problemStatuses: conditions(rows<string>('problemStatuses')),
    serverlessStatuses: conditions(rows<string>('serverlessStatuses')),
    bounds,
  }
  const cited = Object.fromEntries(NAMES.map((name) => [name, tableNamed(tables, name, sources).source]))
  const required = document.components.schemas.Pod?.required as readonly string[]
  const body = [
    `export type PodStatus = ${union(statuses)}`,
    `export type PodAction = ${union(actions)}`,
    `export type RateOperation = ${union(rates.map(([name]) => String(name)))}`,
    `export type DurationName = ${union(durations.map(([name]) => String(name)))}`,
    `export type QuotaName = ${union(Object.keys(quotas))}`,
    boundsType(bounds),
    TYPES,
    FREEZE,
    `export const tables: Tables = frozen(${literal(value)})`,
    '/** The heading of the description that each table stands under. */',
    `export const tableSources: { readonly [N in TableName]: string } = frozen(${literal(cited)})`,
    `export const podStatuses = ${literal(statuses)} as const satisfies readonly PodStatus[]`,
    `export const podActions = ${literal(actions)} as const satisfies readonly PodAction[]`,
    `export const podClouds = ${literal(enumOf(document, 'PodCloud'))} as const`,
    `export const jobStatuses = ${literal(enumOf(document, 'JobStatus'))} as const`,
    `export const podRequired: readonly string[] = ${literal(required)}`,
    CONSTRAINTS,
    `export const constraints = ${literal(readConstraints(document))} as const satisfies Readonly<Record<string, readonly Answer[]>>`,
    'export type ConstraintName = keyof typeof constraints',
  ].join('\n\n')
  return { name: 'tables.ts', text: withHeader(body, [tables.text, openapi.text, headings.text]) }
}

function boundsType(bounds: Rows<object>): string {
  const members = Object.entries(bounds).map(
    ([name, bound]) => `  readonly ${name}: Stated<${union(Object.keys(bound))}>`,
  )
  return `/** The bounds of numbers in the document. */\nexport interface Bounds {\n${members.join('\n')}\n}`
}

function tableNamed<T>({ path, data }: Source, name: string, sources: ReadonlySet<string>) {
  const known: readonly string[] = NAMES
  const all = data as Rows<{ source: string; rows: Rows<T> } | undefined>
  const stranger = Object.keys(all).find((key) => !known.includes(key))
  if (stranger) throw new Error(`${path}: unknown table "${stranger}"; the tables are ${NAMES.join(', ')}.`)
  const table = all[name]
  if (!table?.rows) throw new Error(`${path}: table "${name}" has no rows; add it with source and rows.`)
  if (!sources.has(table.source))
    throw new Error(`${path}: source "${table.source}" of table "${name}" is not a heading of spec/headings.yaml.`)
  return table
}

function enumOf({ components }: Document, name: string): readonly string[] {
  const schema: Schema | undefined = components.schemas[name]
  if (!Array.isArray(schema?.enum)) throw new Error(`spec/openapi.yaml: schema ${name} must be an enum.`)
  return schema.enum
}

/** The description states permissions twice, by status and by action; the two have to say the same. */
function checkAgreement(
  statuses: readonly string[],
  actions: readonly string[],
  permitted: Rows<readonly string[]>,
  transitions: Rows<{ from: readonly string[] }>,
): void {
  for (const status of statuses) {
    for (const action of actions) {
      const byStatus = permitted[status]?.includes(action) ?? false
      const byAction = transitions[action]?.from.includes(status) ?? false
      if (byStatus === byAction) continue
      throw new Error(`spec/tables.yaml: actions and transitions disagree about ${action} from ${status}; correct one.`)
    }
  }
}

function conditions(rows: Rows<string>) {
  return Object.entries(rows).map(([status, condition]) => ({ status: Number(status), condition }))
}

/** "10 seconds" or "1 day" in seconds. Throws on another form. */
export function secondsOf(text: string): number {
  const [, amount, unit] = /^(\d+) (second|minute|hour|day)s?$/.exec(text) ?? []
  const factor = UNITS[unit ?? '']
  if (!amount || !factor)
    throw new Error(`"${text}" is not a length of time; write a whole number and seconds, minutes, hours or days.`)
  return Number(amount) * factor
}
