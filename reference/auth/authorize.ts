import { Refusal } from '../http/refusal.ts'
import type { Service } from '../service.ts'
import type { Caller, Operation } from './accounts.ts'

/**
 * Whether the key of the caller permits the operation.
 * @throws Refusal 403 where it does not (heading Authentication).
 */
export function authorize(caller: Caller, operation: Operation, _service: Service): void {
  if (caller.permissions !== '*' && !caller.permissions.includes(operation)) throw new Refusal(403, 'access denied')
}
