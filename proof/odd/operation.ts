import { operationsOf } from '../../generated/operations.ts'
import type { PodOperation } from '../../harness/exchange/exchange.ts'

const podOperations = operationsOf('pods')

const patterns = Object.entries(podOperations).map(
  ([name, { method, path }]) =>
    [new RegExp(`^${method} ${path.replace('{id}', '[^/]+')}$`), name as PodOperation] as const,
)

/** The operation that a request to the reference asks for; null where it is none. */
export function operationOf({ method, url }: Pick<Request, 'method' | 'url'>): PodOperation | null {
  const call = `${method} ${new URL(url).pathname}`
  return patterns.find(([pattern]) => pattern.test(call))?.[1] ?? null
}

/** True for the operations whose answers are made odd. */
export function isPodOperation(operation: string): operation is PodOperation {
  return Object.hasOwn(podOperations, operation)
}
