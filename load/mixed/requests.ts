import { tables } from '../../generated/tables.ts'
import { routeOf } from '../../harness/client/caller.ts'
import { finalStatuses } from '../../harness/planes/queue/job-status.ts'
import type { PodSection, QueuePlane } from '../../target/types.ts'
import type { LoadRequests } from '../k6/script-plan.ts'
import { queueRequests, submission } from '../queue/requests.ts'

/** The request of each operation of a mix, except those to a pod that the load creates. */
export function mixedRequests(queue: QueuePlane, pods: PodSection | null): LoadRequests {
  const { runsync, requests, ...limited } = queueRequests(queue)
  const { inQueue, inProgress } = queue.health
  const health = routeOf(queue.paths.getEndpointHealth, 'GET')
  const job = JSON.stringify(submission(tables.bounds.ttlMs.minimum, queue.input ?? {}))
  return {
    ...limited,
    // Jobs that nobody takes are to be gone soon, so that their number does not grow.
    ...(runsync && { runsync: { ...runsync, body: job } }),
    ...(requests && { requests: { ...requests, unfinished: { finalStatuses: [...finalStatuses] } } }),
    health: { ...health, body: null, unfinished: { counts: [inQueue, inProgress] } },
    ...(pods !== null && {
      listPods: {
        ...{ method: 'GET', plane: 'pods', path: pods.paths.listPods, body: null },
        unfinished: { listAt: pods.listAt, finalStatuses: ['TERMINATED'] },
      },
    }),
  }
}
