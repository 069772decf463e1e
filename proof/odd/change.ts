import { operationsOf } from '../../generated/operations.ts'
import type { PodOperation } from '../../harness/exchange/exchange.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import { requestOf } from '../defects/tools.ts'
import type { Variant } from '../types.ts'

const podOperations = operationsOf('pods')

const names = Object.keys(podOperations) as PodOperation[]
const requests = names.map((name) => [name, requestOf(name)] as const)

/** The operation that a request to the reference asks for; null if it is none. */
export function operationOf(request: Pick<Request, 'method' | 'url'>): PodOperation | null {
  return requests.find(([, isOf]) => isOf(request))?.[0] ?? null
}

/** True for the operations whose responses are made odd. */
export function isPodOperation(operation: string): operation is PodOperation {
  return Object.hasOwn(podOperations, operation)
}

export const changeKinds = ['dropped', 'retyped', 'null'] as const

export type ChangeKind = (typeof changeKinds)[number]

/** One step into a JSON value: a member by its name; null is every element of an array. */
export type Step = string | null

/** A field of some responses, and the change to it. */
export interface OddCase {
  readonly operation: PodOperation
  readonly status: number
  readonly path: readonly Step[]
  readonly change: ChangeKind
}

/** A short text that names a case: `getPod 200 mounts.network[].path dropped`. */
export function nameOf({ operation, status, path, change }: OddCase): string {
  return `${operation} ${status} ${pathOf(path)} ${change}`
}

/** A path as it is written: `$` for the whole body. */
export function pathOf(path: readonly Step[]): string {
  const text = path.map((step) => (step === null ? '[]' : `.${step}`)).join('')
  return text === '' ? '$' : text.replace(/^\./, '')
}

/** The variant whose responses of one operation and status are changed in one field. */
export function oddVariant(odd: OddCase): Variant {
  return {
    id: 'odd',
    says: `${nameOf(odd)}.`,
    wrap: (fetch) => async (request) => {
      const response = await fetch(request)
      if (response.status !== odd.status || operationOf(request) !== odd.operation) return response
      const text = await response.text()
      if (text === '') return new Response(null, response)
      const changed = changeAt(JSON.parse(text), odd.path, odd.change)
      return new Response(changed === undefined ? null : JSON.stringify(changed), response)
    },
  }
}

/** The value with a change made at a path; undefined if the value itself was dropped. */
export function changeAt(value: unknown, path: readonly Step[], change: ChangeKind): unknown {
  const [step, ...rest] = path
  if (step === undefined) return change === 'dropped' ? undefined : change === 'null' ? null : retyped(value)
  if (step === null) {
    if (!Array.isArray(value)) return value
    return value.map((element) => changeAt(element, rest, change)).filter((element) => element !== undefined)
  }
  const members = membersOf(value)
  if (members === null || !(step in members)) return value
  const changed = changeAt(members[step], rest, change)
  if (changed !== undefined) return { ...members, [step]: changed }
  const { [step]: _, ...others } = members
  return others
}

/** A value of another JSON type, as near as there is one. */
function retyped(value: unknown): unknown {
  if (typeof value === 'string') return 17
  if (Array.isArray(value)) return {}
  if (value === null) return 17
  if (typeof value === 'object') return []
  return String(value)
}
