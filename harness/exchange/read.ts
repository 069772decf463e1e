import { podRequired } from '../../generated/tables.ts'
import { cut } from '../common/cut.ts'
import { digitsOf, isSuccess } from './exchange.ts'

/**
 * A pod as far as a rule may rely on it: an object with an id and a status. Everything else is read when it is needed.
 */
export interface PodView {
  readonly id: string
  readonly status: string
  readonly value: Readonly<Record<string, unknown>>
  /** Number of the exchange that showed it. */
  readonly exchange: number
}

export type Members = Readonly<Record<string, unknown>>

/** A JSON object as its members; null for anything else. */
export function membersOf(value: unknown): Members | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : null
}

/** The value at a path of member names joined by dots; undefined if there is none. */
export function valueAt(json: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => membersOf(at)?.[name], json)
}

/** Most characters of an id in an address: servers commonly take 8 KB as the head of a request. */
const maxIdCharacters = 4_000

/**
 * True for an id that an address can hold. Everything else counts as no id: another type, an unpaired surrogate, a text
 * that is too long, and the segments that lead to another address.
 */
export function isId(value: unknown): value is string {
  if (typeof value !== 'string' || ['', '.', '..'].includes(value)) return false
  return value.length <= maxIdCharacters && value.isWellFormed() && encodeURIComponent(value).length <= maxIdCharacters
}

/** The id of a value; null if it has none. */
export function idIn(value: unknown): string | null {
  const id = membersOf(value)?.id
  return isId(id) ? id : null
}

/** The id of a job or an endpoint as addresses have it, a string or a number; null if there is none. */
export function idOrNumberIn(value: unknown): string | null {
  const members = membersOf(value)
  return typeof members?.id === 'number' ? digitsOf(members, members.id) : idIn(value)
}

/** The id in the response to a creation: its own, or that of the member with the requested name; null if there is none. */
export function createdIdIn(value: unknown, name: unknown): string | null {
  const isNamed = (one: unknown) => typeof name === 'string' && membersOf(one)?.name === name
  return idOrNumberIn(value) ?? idOrNumberIn(Object.values(membersOf(value) ?? {}).find(isNamed))
}

/** The pod in a value; null if it has no id, or no status that is a string. */
export function podOf(value: unknown, exchange: number): PodView | null {
  const members = membersOf(value)
  if (members === null) return null
  const { id, status } = members
  if (!isId(id) || typeof status !== 'string') return null
  return { id, status, value: members, exchange }
}

/**
 * The list at member names joined by dots (`''`: the response itself); null if there is none. `*` stands for every member of an
 * object and every entry of a list, as in `edges.*.node`.
 */
export function listOf(value: unknown, at: string): readonly unknown[] | null {
  const names = at === '' ? [] : at.split('.')
  let found: readonly unknown[] = [value]
  for (const name of names) {
    if (name !== '*') found = found.map((one) => membersOf(one)?.[name])
    else if (found.every((one) => Object(one) === one)) found = found.flatMap((one) => Object.values(Object(one)))
    else return null
  }
  const [list] = names.includes('*') ? [found] : found
  return Array.isArray(list) ? list : null
}

/**
 * The resources of a list response: the list at a member of it, else the response itself or its only member that is a list of
 * objects, beside numbers and texts. Null if that is not clear. A list may hold nothing but ids, each of which stands for a
 * resource.
 */
export function resourcesIn(value: unknown, at: string): readonly unknown[] | null {
  const given = listOf(value, at) ?? listOf(value, '')
  if (given !== null) return given.map((one) => (isId(one) ? { id: one } : one))
  const [only, ...others] = Object.values(membersOf(value) ?? {}).filter((member) => Object(member) === member)
  return others.length === 0 && Array.isArray(only) && only.every((one) => membersOf(one) !== null) ? only : null
}

/** Why a response has no list: its status, or the place `at` without one, with the key of the target file that names it. */
export function noListText(what: string, status: number, at: string, key: string | null = null): string {
  if (!isSuccess(status)) return `${what} was answered ${status}`
  const place = at === '' ? 'is no array' : `has no array at ${at}`
  return `${what} was answered ${status} and ${place}${key === null ? '' : `; ${key} of the target file names its place`}`
}

/** The lists in the first two levels of a value, whatever their names. */
export function listsIn(value: unknown, depth = 2): readonly (readonly unknown[])[] {
  if (Array.isArray(value)) return [value]
  return depth === 0 ? [] : Object.values(membersOf(value) ?? {}).flatMap((member) => listsIn(member, depth - 1))
}

/** Characters of a value in a message. Far more than a finding keeps, which is cut only once its secrets are removed. */
const maxShown = 20_000

/** A value as text for a message: JSON, cut. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing'
  return cut(JSON.stringify(value) ?? 'nothing', maxShown)
}

/** A value as text: a string as it is, anything else as JSON. `String` throws for an object such as `{"toString": 1}`. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : show(value)
}

/** Fields that change by themselves; "unchanged" ignores them. */
export const liveFields: ReadonlySet<string> = new Set(['runtime', 'cost', 'startedAt', 'globalNetworking'])

/** Fields that a start, stop or restart may change. */
export const livelyFields: ReadonlySet<string> = new Set([...liveFields, 'status', 'actions', 'dataCenterId'])

/** Other fields than the described ones belong to the target and may change at any time. */
const describedFields: ReadonlySet<string> = new Set([...podRequired, 'gpu', 'cpu'])

/** Sorted names of the described fields in which two pods differ, live ones ignored. */
export function changedFields(before: Members, after: Members, aside: ReadonlySet<string> = liveFields): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names]
    .filter((name) => describedFields.has(name) && !aside.has(name) && !same(before[name], after[name], name))
    .sort()
}

/** Fields of a pod in a message, each with its value. */
export function fieldsText(pod: Members, names: readonly string[]): string {
  return names.map((name) => `${name} ${show(pod[name])}`).join(', ')
}

/** How much a time may be off in another form, which may lack its fraction, ms. */
const roundingMs = 1_000

function same(a: unknown, b: unknown, name: string): boolean {
  if (name === 'createdAt' && Math.abs(Date.parse(textIn(a)) - Date.parse(textIn(b))) <= roundingMs) return true
  const text = (value: unknown) => canonical(described(value, name), name === 'actions' || name === 'ports')
  return text(a) === text(b)
}

/** The described part of a field, in one of the forms that mean the same. */
function described(value: unknown, name: string): unknown {
  const members = membersOf(value)
  if (members === null) return value
  const { id, count = 1, vcpuCount, memory } = members
  if (name === 'gpu') return { id, count }
  if (name === 'cpu') return { id, vcpuCount, memory }
  const { network, ...others } = members
  return name === 'mounts' && Array.isArray(network) && network.length === 0 ? others : value
}

/** True if two mounts are the same, in any order of their members. An empty list of network mounts means none. */
export function sameMounts(a: unknown, b: unknown): boolean {
  return same(a, b, 'mounts')
}

/** JSON with sorted keys, so that the order of members has no meaning. `unordered` sorts the array itself too. */
export function canonical(value: unknown, unordered = false): string {
  if (Array.isArray(value)) {
    const items = value.map((item) => canonical(item))
    return `[${(unordered ? items.sort() : items).join()}]`
  }
  const members = membersOf(value)
  if (members === null) return JSON.stringify(value) ?? 'undefined'
  return `{${Object.keys(members)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(members[key])}`)
    .join()}}`
}
