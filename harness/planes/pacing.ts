import { createDocumentedRate } from '../client/documented-rate.ts'
import type { Pacing, Plane } from './plane.ts'

/** Each operation has the rate of the description, on each endpoint if the plane has endpoints. */
export function perOperation(operations: Plane['operations']): Pacing {
  return {
    quotaOf: ({ endpoint = '', operation }) => `${endpoint} ${operation}`,
    allowance: ({ operation }) => createDocumentedRate(operation, operations[operation]?.rate ?? null),
    isElsewhere: ({ key }) => key !== 'full' && key !== 'second',
    isOfAccount: false,
    refresh: null,
  }
}
