import type { ApiResponse } from '../../client/api-response.ts'
import type { Call } from '../../client/caller.ts'
import { isSuccess } from '../../exchange/exchange.ts'
import { membersOf } from '../../exchange/read.ts'
import type { ProjectTree } from '../../tool/types.ts'
import { createClients, type OwnerContext } from '../owner.ts'
import type { PlaneAccess } from '../plane.ts'
import { createRemover } from '../removing.ts'
import { deploy } from './plane.ts'

/** An owner's access to the deployment tool. The endpoints of each project that it deploys are removed after it. */
export function createDeployAccess(host: OwnerContext): PlaneAccess {
  const { channel, resources } = host.services
  /** By name, with the moment of the deployment. */
  const left = new Map<string, number>()
  const lineOf = (name: string, atMs?: number) =>
    ({ kind: 'resource', plane: deploy.name, name, ...(atMs !== undefined && { atMs }) }) as const

  function removed(name: string): void {
    left.delete(name)
    resources({ ...lineOf(name), id: name, state: 'removed' })
  }

  function note(operation: string, { body, ids }: Call): (response: ApiResponse) => void {
    const names =
      operation === 'deployProject' ? (body as ProjectTree).project.endpoints.map((endpoint) => endpoint.name) : []
    const unique = [...new Set(names)]
    for (const name of unique) resources({ ...lineOf(name, channel.now()), id: null, state: 'requested' })
    return (response) => {
      const isDone = membersOf(response.json)?.exit === 0
      for (const name of unique) {
        if (isDone) left.set(name, channel.now())
        const line = lineOf(name, left.get(name))
        // A refused project may have left endpoints, which are looked for at the end.
        resources(isDone ? { ...line, id: name, state: 'created' } : { ...line, id: null, state: 'refused' })
      }
      if (operation === 'removeDeployed' && isSuccess(response.status) && left.has(ids?.id ?? '')) {
        removed(ids?.id ?? '')
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
      [...left].map(([name, atMs]) => ({
        of: { ...lineOf(name, atMs), id: name, state: 'created' },
        removed: () => removed(name),
      })),
    remover: (removal) => createRemover(deploy, { as }, removal),
  }
}
