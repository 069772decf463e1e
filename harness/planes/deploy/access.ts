import type { Call } from '../../client/caller.ts'
import type { Reply } from '../../client/reply.ts'
import { isSuccess } from '../../exchange/exchange.ts'
import { membersOf } from '../../exchange/read.ts'
import type { ProjectTree } from '../../tool/types.ts'
import { createClients, type OwnerContext } from '../owner.ts'
import type { PlaneAccess } from '../plane.ts'
import { createRemover } from '../removing.ts'
import { deploy } from './plane.ts'

/** An owner's access to the deployment tool. The endpoints of each project that it deploys are removed after it. */
export function createDeployAccess(host: OwnerContext): PlaneAccess {
  const { resources } = host.services
  const left = new Set<string>()
  const recordState = (name: string, id: string | null, state: 'requested' | 'refused' | 'created' | 'removed') =>
    resources({ kind: 'resource', plane: deploy.name, name, id, state })

  function note(operation: string, { body, ids }: Call): (reply: Reply) => void {
    const names =
      operation === 'deployProject' ? (body as ProjectTree).project.endpoints.map((endpoint) => endpoint.name) : []
    const unique = [...new Set(names)]
    for (const name of unique) recordState(name, null, 'requested')
    return (reply) => {
      const isDone = membersOf(reply.json)?.exit === 0
      for (const name of unique) {
        if (isDone) left.add(name)
        // A refused project may have left endpoints, which are looked for at the end.
        recordState(name, isDone ? name : null, isDone ? 'created' : 'refused')
      }
      if (operation === 'removeDeployed' && isSuccess(reply.status) && left.delete(ids?.id ?? '')) {
        recordState(ids?.id ?? '', ids?.id ?? '', 'removed')
      }
    }
  }

  const as = createClients(
    deploy,
    host,
    () => ({ note }),
    (caller) => caller,
  )
  return {
    as,
    removables: () =>
      [...left].map((name) => ({
        of: { kind: 'resource', plane: deploy.name, name, id: name, state: 'created' },
        removed() {
          left.delete(name)
          recordState(name, name, 'removed')
        },
      })),
    remover: (removal) => createRemover(deploy, { as }, removal),
  }
}
