import { isQueueOperation } from '../exchange.ts'
import { createPacer, type Pacer } from './pacer.ts'
import { createQueuePacer } from './queue-pacer.ts'
import type { Outgoing } from './sender.ts'

/** The pacers of a run, each made when it is first asked for: the pod API counts by user, the queue plane by endpoint and operation. */
export function createPacers() {
  const pacers = new Map<string, Pacer | null>()
  return ({ operation, endpoint = '', key }: Pick<Outgoing, 'operation' | 'endpoint' | 'key'>): Pacer | null => {
    const name = isQueueOperation(operation) ? `${endpoint} ${operation}` : `key ${key}`
    let pacer = pacers.get(name)
    if (pacer === undefined) {
      pacer = isQueueOperation(operation) ? createQueuePacer(operation) : createPacer()
      pacers.set(name, pacer)
    }
    return pacer
  }
}
