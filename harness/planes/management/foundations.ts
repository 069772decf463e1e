import { isSuccess } from '../../exchange/exchange.ts'
import type { Foundation } from '../plane.ts'

/** Foundations of rules about new endpoints. */
export const managementFoundations = {
  /** A creation succeeds. */
  created: {
    rule: 'endpoints.create',
    clauses: ['accepted'],
    isShownBy: (operation, { status }) => operation === 'createEndpoint' && isSuccess(status),
  },
} as const satisfies Readonly<Record<string, Foundation>>
