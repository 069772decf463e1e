import { type OperationId, operations } from '../../generated/operations.ts'
import type { CallOptions } from '../../harness/client/caller.ts'
import { pathOf } from '../../harness/client/caller.ts'
import type { RouteOptions } from '../../harness/planes/lb/client.ts'
import type { Context } from '../../harness/rule/context.ts'
import type { KeyName } from '../../target/types.ts'
import { echo, expectNotReached, nonceFor, serving, usesNormalLooking, withNonce } from '../shared/balanced.ts'
import type { AuthPlane } from './plane.ts'

type Role = 'normal' | 'second'

const worker = 'lb.worker'

/** /ping, and a route of the conformance worker with each method; one of them at the second endpoint too. The worker counts its requests. */
export const lb: AuthPlane = {
  options: usesNormalLooking,
  partOf: { getRoute: worker, postRoute: worker, putRoute: worker, patchRoute: worker, deleteRoute: worker },
  async arrange(context, wanted) {
    const { inconclusive, part, vary } = context
    const isCounted = part(worker)
    const sent: (readonly [Role, readonly OperationId[]])[] = [['normal', wanted]]
    const drawn = vary.sample('at the second', wanted, String)
    if (part('lb.second') && drawn !== undefined) sent.push(['second', [drawn]])
    const nonces: Record<Role, string[]> = { normal: [], second: [] }
    for (const [role, own] of sent) {
      if (isCounted) await serving(context, context.lb.on(role))
      for (const operation of own) {
        const { status } = await send(context, role, operation, 'full')
        if (status === 401 || status === 403) inconclusive(`${operation} was answered ${status} with the full key too`)
      }
    }
    return {
      requests: sent.flatMap(([role, own]) =>
        own.map((operation) => ({
          operation,
          send(key: KeyName, options?: CallOptions) {
            const nonce = nonceFor(context)
            nonces[role].push(nonce)
            return send(context, role, operation, key, withNonce(nonce, { ...options, repeats: true }))
          },
        })),
      ),
      async expectNoEffect() {
        if (!isCounted) return
        for (const [role] of sent) await expectNotReached(context, 'not-reached', nonces[role], context.lb.on(role))
      },
      expectAllWorked() {},
    }
  },
}

function send({ lbAs }: Context, role: Role, operation: OperationId, key: KeyName, options?: RouteOptions) {
  const { method, path } = operations[operation]
  return lbAs(key)
    .on(role)
    .send(method, pathOf(path, { route: echo }), options)
}
