import type { OperationOf } from '../generated/operations.ts'

/** An operation of any plane. */
export type Operation = PodOperation | QueueOperation | EndpointOperation | BalancedOperation

/** An operation of the pod plane. */
export type PodOperation = OperationOf<'pods'>

/** An operation of the queue plane. */
export type QueueOperation = OperationOf<'queue'>

/** An operation of load-balanced endpoints. */
export type BalancedOperation = OperationOf<'lb'>

/** An operation of endpoint management. */
export type EndpointOperation = OperationOf<'management'>
