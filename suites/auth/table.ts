import type { PlaneName } from '../../generated/operations.ts'
import type { RuleId } from '../../generated/rules.ts'
import type { kinds } from './credentials.ts'

type KindName = keyof typeof kinds

/** A rule: requests with these credentials are refused on a plane, and have no effect. */
export interface AuthRow<P extends PlaneName = PlaneName> {
  readonly rule: RuleId
  readonly plane: P
  /** Kinds of credentials with the same scope. */
  readonly sent: readonly [KindName, ...KindName[]]
  /** Another rule judges the other; default: both. */
  readonly judges?: 'responses' | 'effects'
}

/** The rules about authentication that are the same sentence on each plane. Their defects are derived in `proof/`. */
export const authTable: readonly AuthRow[] = [
  { rule: 'auth.pods.missing', plane: 'pods', sent: ['missing'] },
  { rule: 'auth.pods.invalid', plane: 'pods', sent: ['invalid'] },
  { rule: 'auth.pods.expired', plane: 'pods', sent: ['expired'] },
  { rule: 'auth.scheme-required', plane: 'pods', sent: ['bare'] },
  { rule: 'auth.pods.hidden', plane: 'pods', sent: ['stranger'] },
  { rule: 'auth.queue.missing', plane: 'queue', sent: ['missing'], judges: 'responses' },
  { rule: 'auth.queue.invalid', plane: 'queue', sent: ['invalid'], judges: 'responses' },
  { rule: 'auth.queue.no-effect', plane: 'queue', sent: ['missing', 'invalid'], judges: 'effects' },
  { rule: 'auth.queue.hidden', plane: 'queue', sent: ['stranger'], judges: 'responses' },
  { rule: 'auth.queue.hidden-no-effect', plane: 'queue', sent: ['stranger'], judges: 'effects' },
  { rule: 'auth.lb.missing', plane: 'lb', sent: ['missing'] },
  { rule: 'auth.lb.malformed', plane: 'lb', sent: ['malformed'] },
  { rule: 'auth.lb.invalid', plane: 'lb', sent: ['invalid'] },
  { rule: 'auth.lb.expired', plane: 'lb', sent: ['expired'] },
  { rule: 'auth.lb.hidden', plane: 'lb', sent: ['stranger'] },
  { rule: 'auth.lb.forbidden', plane: 'lb', sent: ['restricted'] },
  { rule: 'auth.management.missing', plane: 'management', sent: ['missing'] },
  { rule: 'auth.management.malformed', plane: 'management', sent: ['malformed'] },
  { rule: 'auth.management.invalid', plane: 'management', sent: ['invalid'] },
  { rule: 'auth.management.expired', plane: 'management', sent: ['expired'] },
  { rule: 'auth.management.hidden', plane: 'management', sent: ['stranger'] },
  { rule: 'auth.management.forbidden', plane: 'management', sent: ['restricted'] },
]
