import { tables as generatedTables, type RateOperation, type Tables } from '../../../generated/tables.ts'
import { createOperationLimiter, type OperationLimiter, type OperationLimiterOptions } from './operation-limiter.ts'

export interface EndpointLimitsOptions extends Omit<OperationLimiterOptions, 'rate' | 'workersAllow'> {
  readonly tables?: Pick<Tables, 'rates'>
  /** Requests a window that the running workers of an endpoint allow for an operation together. */
  readonly workersAllow?: (endpoint: string, operation: RateOperation) => number
}

/** The limiter of an operation on an endpoint: each pair has one of its own, made when it is first asked for. */
export type EndpointLimits = (endpoint: string, operation: RateOperation) => OperationLimiter

/** Limits by the rate table, for each endpoint and operation (heading Limits). */
export function createEndpointLimits(options: EndpointLimitsOptions = {}): EndpointLimits {
  const { tables = generatedTables, workersAllow, ...rest } = options
  const endpoints = new Map<string, Map<RateOperation, OperationLimiter>>()

  const create = (endpoint: string, operation: RateOperation): OperationLimiter => {
    const rate = tables.rates[operation]
    if (workersAllow === undefined) return createOperationLimiter({ ...rest, rate })
    return createOperationLimiter({ ...rest, rate, workersAllow: () => workersAllow(endpoint, operation) })
  }

  return (endpoint, operation) => {
    const limiters = endpoints.get(endpoint) ?? new Map<RateOperation, OperationLimiter>()
    endpoints.set(endpoint, limiters)
    const limiter = limiters.get(operation) ?? create(endpoint, operation)
    limiters.set(operation, limiter)
    return limiter
  }
}
