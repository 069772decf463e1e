import { type OperationId, operations } from '../../generated/operations.ts'
import { pathOf } from '../../harness/client/caller.ts'
import type { RouteOptions } from '../../harness/planes/lb/client.ts'
import type { Context } from '../../harness/rule/context.ts'
import type { KeyName } from '../../target/types.ts'
import { echo, expectNotReached, nonceFor, servingNormal, usesNormalLooking, withNonce } from '../shared/balanced.ts'
import type { AuthPlane } from './plane.ts'

const worker = 'lb.worker'

/** /ping, and a route of the conformance worker with each method. The worker counts its requests. */
export const lb: AuthPlane = {
  options: usesNormalLooking,
  partOf: { getRoute: worker, postRoute: worker, putRoute: worker, patchRoute: worker, deleteRoute: worker },
  async arrange(context, wanted) {
    const { inconclusive, part } = context
    const nonces: string[] = []
    if (part(worker)) await servingNormal(context)
    for (const operation of wanted) {
      const { status } = await send(context, operation, 'full')
      if (status === 401 || status === 403) inconclusive(`${operation} was answered ${status} with the full key too`)
    }
    return {
      requests: wanted.map((operation) => ({
        operation,
        send(key, options) {
          const nonce = nonceFor(context)
          nonces.push(nonce)
          return send(context, operation, key, withNonce(nonce, { ...options, repeats: true }))
        },
      })),
      async expectNoEffect() {
        if (part(worker)) await expectNotReached(context, 'not-reached', nonces)
      },
      expectAllWorked() {},
    }
  },
}

function send({ lbAs }: Context, operation: OperationId, key: KeyName, options?: RouteOptions) {
  const { method, path } = operations[operation]
  return lbAs(key).send(method, pathOf(path, { route: echo }), options)
}
