import { podOf } from '../../exchange/read.ts'
import type { Foundation } from '../plane.ts'

/** Foundations of rules about pods. */
export const podFoundations = {
  /** A read shows a pod that was created. */
  shown: {
    rule: 'pods.create.read-back',
    clauses: ['id', 'read'],
    isShownBy: (operation, { json, status }) => operation === 'getPod' && status === 200 && podOf(json, 0) !== null,
  },
} as const satisfies Readonly<Record<string, Foundation>>
