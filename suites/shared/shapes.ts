import { type PodAction, type PodStatus, podRequired, tables } from '../../generated/tables.ts'
import { type Members, membersOf } from '../../harness/exchange/read.ts'
import { isDateTime } from '../pods/date-time.ts'
import {
  integer,
  kindOf,
  list,
  nullable,
  number,
  object,
  oneOf,
  type Reader,
  someText,
  text,
  truth,
} from './readers.ts'

/** One clause that a value breaks. The texts are the same on every run. */
export interface Flaw {
  readonly clause: string
  readonly expected: string
  readonly observed: string
}

/** The clauses of a rule on which a value has a bearing, and those that it breaks. */
export interface Shown {
  readonly exercised: readonly string[]
  readonly flaws: readonly Flaw[]
}

const utilization = object({}, { util: integer() })

/** The types of the fields that no other rule is about, in the words and order of the headings Pod to PodRuntime. */
const fieldTypes: Readonly<Record<string, Reader>> = {
  id: text,
  name: text,
  status: oneOf(Object.keys(tables.actions)),
  image: text,
  args: text,
  disk: integer(1),
  ports: list(text),
  registry: nullable(text),
  mounts: object(
    {},
    { persistent: object({ size: integer(10), path: text }), network: list(object({ volumeId: text, path: text })) },
  ),
  gpu: object({ id: text }, { count: integer(1) }),
  cpu: object({ id: someText, vcpuCount: integer(2), memory: integer(1) }),
  cloud: oneOf(['SECURE', 'COMMUNITY']),
  dataCenterId: nullable(text),
  template: nullable(text),
  cost: number,
  locked: truth,
  globalNetworking: object({ enabled: truth }, { ip: text, internalDns: text }),
  runtime: nullable(
    object(
      {},
      {
        uptime: integer(),
        gpus: list(object({}, { util: integer(), memoryUtil: integer() })),
        cpu: utilization,
        memory: utilization,
        ports: list(object({}, { private: integer(), public: nullable(integer()), type: text, ip: nullable(text) })),
      },
    ),
  ),
}

const fieldReaders = Object.entries(fieldTypes).map(([name, read]) => ({ name, read, clause: kebab(name) }))

/** Required fields that are missing; a value that is not an object has none of them. */
export function missingFields(value: unknown): Flaw[] {
  const members = membersOf(value)
  if (members === null) return [{ clause: 'fields', expected: 'a pod', observed: kindOf(value) }]
  const missing = podRequired.filter((name) => !(name in members))
  return missing.map((name) => ({ clause: 'fields', expected: `the field ${name}`, observed: `no ${name}` }))
}

/** The clause of each field that is there and has a type to keep: `data-center-id` for dataCenterId. */
export function typedClauses(pod: Members): string[] {
  return fieldReaders.flatMap(({ name, clause }) => (name in pod ? [clause] : []))
}

/** Fields of another type than stated, one flaw a field. */
export function typeFlaws(pod: Members): Flaw[] {
  return fieldReaders.flatMap(({ name, clause, read }) => {
    const mismatch = name in pod ? read(pod[name], name) : null
    if (mismatch === null) return []
    const { path, expected, observed } = mismatch
    return [{ clause, expected: `${path}: ${expected}`, observed: `${path}: ${observed}` }]
  })
}

/** True if `actions` is the set for the status. TERMINATED, an unknown status and a missing field prove nothing. */
export function actionFlaws({ status, actions, locked }: Members): Shown | null {
  if (!isPodStatus(status) || status === 'TERMINATED' || actions === undefined) return null
  const permitted = tables.actions[status]
  const expected = `${[...permitted].sort().join(', ')} while ${status}`
  if (!Array.isArray(actions)) {
    return { exercised: ['permitted'], flaws: [{ clause: 'permitted', expected, observed: kindOf(actions) }] }
  }
  const shown = new Set(actions.map((action) => (typeof action === 'string' ? action : kindOf(action))))
  const freed: readonly PodAction[] = locked === true ? ['stop', 'restart'] : []
  const isSet =
    [...shown].every((action) => permitted.some((name) => name === action)) &&
    permitted.every((action) => shown.has(action) || freed.includes(action))
  const observed = `${[...shown].sort().join(', ') || 'none'} while ${status}`
  const twice = { clause: 'repeats', expected: 'each action once', observed: 'an action twice' }
  return {
    exercised: ['permitted', ...(actions.length > 0 ? ['repeats'] : [])],
    flaws: [
      ...(isSet ? [] : [{ clause: 'permitted', expected, observed }]),
      ...(shown.size === actions.length ? [] : [twice]),
    ],
  }
}

/** At most one kind of mount, one network entry, and nothing that is not named, at every depth (heading Mounts). */
export function mountFlaws(mounts: Members): Shown {
  const isMounted = Object.keys(mounts).length > 0
  const network = Array.isArray(mounts.network) ? mounts.network : []
  const extra = [
    ...beyond(mounts, ['persistent', 'network'], 'mounts'),
    ...beyond(membersOf(mounts.persistent), ['size', 'path'], 'mounts.persistent'),
    ...network.flatMap((entry) => beyond(membersOf(entry), ['volumeId', 'path'], 'mounts.network[]')),
  ]
  const both = { clause: 'one-kind', expected: 'persistent or network', observed: 'persistent and network' }
  const several = {
    clause: 'one-entry',
    expected: 'at most 1 network mount',
    observed: `${network.length} network mounts`,
  }
  return {
    // An empty object has been seen to hold no other key; of kinds and entries it says nothing.
    exercised: [...(isMounted ? ['one-kind'] : []), 'closed', ...(network.length > 0 ? ['one-entry'] : [])],
    flaws: [
      ...(membersOf(mounts.persistent) !== null && network.length > 0 ? [both] : []),
      ...(network.length > 1 ? [several] : []),
      ...extra.map((place) => ({ clause: 'closed', expected: 'no further member', observed: place })),
    ],
  }
}

/** `env` is an object whose values are strings. */
export function envFlaws(env: unknown): Shown {
  const members = membersOf(env)
  if (members === null) {
    return { exercised: ['object'], flaws: [{ clause: 'object', expected: 'an object', observed: kindOf(env) }] }
  }
  const values = Object.values(members)
  const other = values.filter((value) => typeof value !== 'string')
  return {
    exercised: ['object', ...(values.length > 0 ? ['strings'] : [])],
    flaws: other.map((value) => ({ clause: 'strings', expected: 'a string', observed: kindOf(value) })),
  }
}

/** createdAt is a date-time, startedAt is one or null; a missing field says nothing. */
export function timeFlaws({ createdAt, startedAt }: Members): Flaw[] {
  return [
    ...timeFlaw('created-at', createdAt),
    ...(startedAt === null ? [] : timeFlaw('started-at', startedAt)).map((flaw) => ({
      ...flaw,
      expected: `${flaw.expected} or null`,
    })),
  ]
}

export function isPodStatus(value: unknown): value is PodStatus {
  return typeof value === 'string' && Object.hasOwn(tables.actions, value)
}

function timeFlaw(clause: string, value: unknown): Flaw[] {
  if (value === undefined || (typeof value === 'string' && isDateTime(value))) return []
  const other = typeof value === 'string' ? 'another text' : typeof value === 'number' ? 'a number' : kindOf(value)
  return [{ clause, expected: 'a date-time of RFC 3339', observed: other }]
}

function beyond(members: Members | null, names: readonly string[], place: string): string[] {
  return Object.keys(members ?? {})
    .filter((name) => !names.includes(name))
    .map((name) => `${place}.${name}`)
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
