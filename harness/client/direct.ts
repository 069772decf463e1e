import type { PlaneSection } from '../../target/types.ts'
import type { WireResponse } from '../exchange/exchange.ts'
import type { Transport } from '../transport/types.ts'
import { type Call, type Described, requestOf } from './caller.ts'

export interface DirectOptions {
  readonly transport: Transport
  readonly plane: Described
  readonly section: PlaneSection
  readonly token: string
  readonly userAgent: string
}

/** Sends a request outside a run, which nobody records. Rejects as the transport does. */
export type Direct = (operation: string, call?: Call) => Promise<WireResponse>

export function createDirect({ transport, plane, section, token, userAgent }: DirectOptions): Direct {
  return (operation, call = {}) => {
    const headers = [...(call.headers ?? []), ['User-Agent', userAgent] as const]
    return transport(requestOf(plane, section, operation, token, { ...call, headers }))
  }
}
