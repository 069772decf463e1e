import { type OperationOf, operationsOf } from '../../generated/operations.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import { requestOf } from '../defects/tools.ts'
import type { Variant } from '../types.ts'

type OddOperation = OperationOf<'pods' | 'queue' | 'management'>

const oddOperations = { ...operationsOf('pods'), ...operationsOf('queue'), ...operationsOf('management') }

const names = Object.keys(oddOperations) as OddOperation[]
const requests = names.map((name) => [name, requestOf(name)] as const)

/** The operation that a request to the reference asks for; null if it is none. */
function operationOf(request: Pick<Request, 'method' | 'url'>): OddOperation | null {
  return requests.find(([, isOf]) => isOf(request))?.[0] ?? null
}

/** True for the operations whose responses are made malformed. */
export function isMalformed(operation: string): operation is OddOperation {
  return Object.hasOwn(oddOperations, operation)
}

export const changeKinds = ['dropped', 'retyped', 'null', 'without text'] as const

export type ChangeKind = (typeof changeKinds)[number]

/** One step into a JSON value: a member by its name; null is every element of an array. */
export type Step = string | null

/** A field of some responses, and the change to it. */
export interface MalformedCase {
  readonly operation: OddOperation
  readonly status: number
  readonly path: readonly Step[]
  readonly change: ChangeKind
}

/** A short text that names a case: `getPod 200 mounts.network[].path dropped`. */
export function nameOf({ operation, status, path, change }: MalformedCase): string {
  return `${operation} ${status} ${pathOf(path)} ${change}`
}

/** A path as it is written: `$` for the whole body. */
export function pathOf(path: readonly Step[]): string {
  const text = path.map((step) => (step === null ? '[]' : `.${step}`)).join('')
  return text === '' ? '$' : text.replace(/^\./, '')
}

/** The variant whose responses of one operation and status are changed in one field. */
export function malformedVariant(malformed: MalformedCase): Variant {
  return {
    id: 'malformed',
    says: `${nameOf(malformed)}.`,
    wrap: (fetch) => async (request) => {
      const response = await fetch(request)
      if (response.status !== malformed.status || operationOf(request) !== malformed.operation) return response
      const text = await response.text()
      if (text === '') return new Response(null, response)
      const changed = changeAt(JSON.parse(text), malformed.path, malformed.change)
      return new Response(changed === undefined ? null : JSON.stringify(changed), response)
    },
  }
}

/** The value with a change made at a path; undefined if the value itself was dropped. */
export function changeAt(value: unknown, path: readonly Step[], change: ChangeKind): unknown {
  const [step, ...rest] = path
  if (step === undefined) return changed(value, change)
  if (step === null) {
    if (!Array.isArray(value)) return value
    return value.map((element) => changeAt(element, rest, change)).filter((element) => element !== undefined)
  }
  const members = membersOf(value)
  if (members === null || !(step in members)) return value
  const member = changeAt(members[step], rest, change)
  if (member !== undefined) return { ...members, [step]: member }
  const { [step]: _, ...others } = members
  return others
}

function changed(value: unknown, change: ChangeKind): unknown {
  if (change === 'dropped') return undefined
  if (change === 'null') return null
  // Turned into a text without care, it throws.
  return change === 'retyped' ? retyped(value) : { toString: 1 }
}

/** A value of another JSON type, as near as there is one. */
function retyped(value: unknown): unknown {
  if (typeof value === 'string') return 17
  if (Array.isArray(value)) return {}
  if (value === null) return 17
  if (typeof value === 'object') return []
  return String(value)
}
