import { operationsOf } from '../../generated/operations.ts'
import type { PodOperation } from '../../harness/exchange/exchange.ts'
import { requestOf } from '../defects/tools.ts'

const podOperations = operationsOf('pods')

const names = Object.keys(podOperations) as PodOperation[]
const requests = names.map((name) => [name, requestOf(name)] as const)

/** The operation that a request to the reference asks for; null where it is none. */
export function operationOf(request: Pick<Request, 'method' | 'url'>): PodOperation | null {
  return requests.find(([, isOf]) => isOf(request))?.[0] ?? null
}

/** True for the operations whose answers are made odd. */
export function isPodOperation(operation: string): operation is PodOperation {
  return Object.hasOwn(podOperations, operation)
}
