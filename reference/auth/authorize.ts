import type { Common } from '../common.ts'
import { Refusal } from '../http/refusal.ts'
import type { Operation } from '../operations.ts'
import type { Caller } from './accounts.ts'

/** @throws Refusal 403 if the key of the caller does not permit the operation (heading Authentication). */
export function authorize(caller: Caller, operation: Operation, _service: Common): void {
  if (caller.permissions !== '*' && !caller.permissions.includes(operation)) throw new Refusal(403, 'access denied')
}
