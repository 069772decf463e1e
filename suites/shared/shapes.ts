import { type PodAction, type PodStatus, podRequired, tables } from '../../generated/tables.ts'
import { type Exchange, isSuccess, jsonOf } from '../../harness/exchange/exchange.ts'
import { type Members, membersOf } from '../../harness/exchange/read.ts'
import type { InvariantStep } from '../../harness/rule/registry.ts'
import { kindOfValue } from './readers.ts'

/** The clauses of a rule on which a value has a bearing, and its findings. Their texts are the same on every run. */
export type Shown = Omit<InvariantStep<null>, 'state'>

/** The same for a single clause. */
export function judged(clause: string, holds: boolean, expected: string, observed: string): Shown {
  return { exercised: [clause], findings: holds ? [] : [{ clause, expected, observed }] }
}

/** Several judgements of one rule as one. */
export function joined(all: readonly Shown[]): Shown {
  return {
    exercised: [...new Set(all.flatMap(({ exercised }) => exercised))],
    findings: all.flatMap(({ findings }) => findings),
  }
}

/** The judgement of the body of a success as JSON; null without one. */
export function jsonFlaws({ response }: Exchange): Shown | null {
  if (response === null || !isSuccess(response.status) || response.body.length === 0) return null
  return judged('json', jsonOf(response.body) !== undefined, 'JSON that parses', 'a body that is not JSON')
}

/** Required fields that are missing; a value that is not an object has none of them. */
export function missingFields(value: unknown): Shown['findings'] {
  const members = membersOf(value)
  if (members === null) return [{ clause: 'fields', expected: 'a pod', observed: kindOfValue(value) }]
  const missing = podRequired.filter((name) => !(name in members))
  return missing.map((name) => ({ clause: 'fields', expected: `the field ${name}`, observed: `no ${name}` }))
}

/** Judges `actions` by the table of permitted actions; null for TERMINATED, an unknown status or a missing field. */
export function actionFlaws({ status, actions, locked }: Members): Shown | null {
  if (!isPodStatus(status) || status === 'TERMINATED' || actions === undefined) return null
  const permitted = tables.actions[status]
  const expected = `${[...permitted].sort().join(', ')} while ${status}`
  if (!Array.isArray(actions)) return judged('permitted', false, expected, kindOfValue(actions))
  const shown = new Set(actions.map((action) => (typeof action === 'string' ? action : kindOfValue(action))))
  const freed: readonly PodAction[] = locked === true ? ['stop', 'restart', 'terminate'] : []
  const isSet =
    [...shown].every((action) => permitted.some((name) => name === action)) &&
    permitted.every((action) => shown.has(action) || freed.includes(action))
  const observed = `${[...shown].sort().join(', ') || 'none'} while ${status}`
  const twice = { clause: 'repeats', expected: 'each action once', observed: 'an action twice' }
  return {
    exercised: ['permitted', ...(actions.length > 0 ? ['repeats'] : [])],
    findings: [
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
    findings: [
      ...(membersOf(mounts.persistent) !== null && network.length > 0 ? [both] : []),
      ...(network.length > 1 ? [several] : []),
      ...extra.map((place) => ({ clause: 'closed', expected: 'no further member', observed: place })),
    ],
  }
}

/** An address and a name only with a network, and a name that begins with the id (heading PodGlobalNetworking). */
export function networkFlaws({ id, globalNetworking }: Members): Shown | null {
  const network = membersOf(globalNetworking)
  if (network === null) return null
  const { enabled, internalDns } = network
  const without = ['ip', 'internalDns'].filter((name) => enabled === false && name in network)
  const isNamed = typeof internalDns === 'string'
  // DNS does not distinguish capital letters (RFC 4343).
  const own = `${id}.`.toLowerCase()
  const isOwn = !isNamed || (internalDns.toLowerCase().startsWith(own) && internalDns.length > own.length)
  return {
    exercised: [...(enabled === false ? ['enabled-only'] : []), ...(isNamed ? ['internal-dns'] : [])],
    findings: [
      ...without.map((name) => ({
        clause: 'enabled-only',
        expected: `no ${name} while enabled is false`,
        observed: `${name} while enabled is false`,
      })),
      ...(isOwn
        ? []
        : [{ clause: 'internal-dns', expected: 'the id of the pod, a dot and a domain', observed: 'another name' }]),
    ],
  }
}

export function isPodStatus(value: unknown): value is PodStatus {
  return typeof value === 'string' && Object.hasOwn(tables.actions, value)
}

function beyond(members: Members | null, names: readonly string[], place: string): string[] {
  return Object.keys(members ?? {})
    .filter((name) => !names.includes(name))
    .map((name) => `${place}.${name}`)
}
