import { membersOf } from '../../exchange/read.ts'
import type { Foundation } from '../plane.ts'

/** Foundations of rules about deployed endpoints. */
export const deployFoundations = {
  /** The tool deploys a project. */
  deployed: {
    rule: 'deploy.endpoint-per-config',
    clauses: ['deployed', 'created'],
    isShownBy: (operation, { json }) => operation === 'deployProject' && membersOf(json)?.exit === 0,
  },
} as const satisfies Readonly<Record<string, Foundation>>
