import {
  type OperationFacts,
  type OperationId,
  type OperationOf,
  operations,
  type PlaneName,
} from '../../generated/operations.ts'
import type { RuleId } from '../../generated/rules.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import type { Call, CallOptions } from '../../harness/client/caller.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import type { Context } from '../../harness/rule/context.ts'
import type { ScenarioOptions } from '../../harness/rule/registry.ts'
import type { KeyName } from '../../target/types.ts'
import { blockedBy } from '../shared/job-responses.ts'
import type { Scope } from './table.ts'

/** A valid request, for any key. */
export interface AuthRequest {
  readonly operation: OperationId
  readonly send: (key: KeyName, options?: CallOptions) => Promise<ApiResponse>
}

/** A plane as the table of rules uses it. */
export interface AuthPlane {
  readonly options: Partial<ScenarioOptions>
  /** Operations that a target may lack, and the part of the rules that they are. */
  readonly partOf: Readonly<Partial<Record<OperationId, string>>>
  /** Reads that need nothing which the run creates. */
  readonly reads?: (context: Context) => readonly AuthRequest[]
  /** Creates what the requests are about, and shows with the owner's key that they work. */
  readonly arrange: (
    context: Context,
    wanted: readonly OperationId[],
    scope: Scope,
    /** True if the row judges that refused requests have no effect. */
    judgesEffects: boolean,
  ) => Promise<Arranged>
}

/** Requests that work with the owner's key, so that a refusal is for the key alone. */
export interface Arranged {
  readonly requests: readonly AuthRequest[]
  /** Expects that refused requests had no effect. */
  readonly expectNoEffect: () => Promise<void>
  /** Ends the rule as blocked or inconclusive if an operation did not work with the owner's key. */
  readonly expectAllWorked: () => void
  /** Texts that a refusal to another account must not contain, by what a finding calls them. */
  readonly secrets?: (status: number) => Readonly<Record<string, string>>
  /** Expects another account's list, which shows that its key is valid, to lack the resource that the owner's list shows. */
  readonly expectUnlisted?: () => Promise<void>
  /** Ends the rule if another rule judges why another account was not refused. */
  readonly excuse?: (response: ApiResponse) => Promise<void>
}

/** Operations whose body the document describes: each plane has to give one. */
type WithBody<P extends PlaneName> = {
  [O in OperationOf<P>]: (typeof operations)[O]['body'] extends null ? never : O
}[OperationOf<P>]

/** How the requests of a plane are made. */
interface Requests<P extends PlaneName> {
  /** Values of the placeholders of all paths. */
  readonly ids: Readonly<Record<string, string>>
  readonly calls: Readonly<Partial<Record<OperationId, Call>> & Record<WithBody<P>, Call>>
  readonly send: (operation: OperationId, key: KeyName, call: Call) => Promise<ApiResponse>
}

/**
 * Notes which operations work with the owner's key. One that does not is left out. `judges`: rules about operations, which
 * block a rule then.
 */
export function createTwins(context: Context, judges: Readonly<Partial<Record<OperationId, RuleId>>> = {}) {
  const seen = new Map<OperationId, { readonly fault: string | null; readonly response: ApiResponse }>()

  function works(
    operation: OperationId,
    response: ApiResponse,
    fault = isSuccess(response.status) ? null : `${operation} was answered ${response.status}`,
  ): boolean {
    seen.set(operation, { fault, response })
    return fault === null
  }

  return {
    works,
    /** Requests of the wanted operations that work, removals last. Reads that were not tried are tried here. */
    async requests<P extends PlaneName>(wanted: readonly OperationId[], { ids, calls, send }: Requests<P>) {
      const requests: AuthRequest[] = []
      for (const operation of wanted.toSorted((a, b) => Number(isRemoval(a)) - Number(isRemoval(b)))) {
        const { held, method, path }: OperationFacts = operations[operation]
        const call: Call | undefined = calls[operation]
        const named = Object.entries({ ...ids, ...call?.ids }).filter(([name]) => path.includes(`{${name}}`))
        const request: AuthRequest = {
          operation,
          send: (key, options) => send(operation, key, { ...options, ...call, ids: Object.fromEntries(named) }),
        }
        const isUntried = method === 'GET' && !held && !seen.has(operation)
        if (isUntried) works(operation, await request.send('full'))
        if (!seen.get(operation)?.fault) requests.push(request)
      }
      return requests
    },
    /** Ends the rule if one of these operations did not work. */
    expectAllWorked(of: readonly OperationId[] = [...seen.keys()]): void {
      const idle = [...seen].filter(([operation, { fault }]) => fault !== null && of.includes(operation))
      const faults = idle.map(([, { fault }]) => fault).join(', ')
      const reason = `${faults} with a full key, so a refusal does not show that the key is refused`
      for (const [operation, { response }] of idle) {
        const judge = judges[operation]
        if (judge !== undefined) blockedBy(context, judge, reason, response)
        context.inconclusive(reason)
      }
    },
  }
}

function isRemoval(operation: OperationId): boolean {
  return /^(delete|purge)/.test(operation)
}

/** A text that only the owner of a resource was told. */
export function secretText({ random }: Context): string {
  return `plumbline-hidden-${Math.floor(random() * 2 ** 50).toString(36)}`
}
