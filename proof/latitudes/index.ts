import type { Latitude, LatitudePlane } from '../types.ts'
import { absent } from './absent.ts'
import { answers } from './answers.ts'
import { bounds } from './bounds.ts'
import { changes, changesOfFields } from './changes.ts'
import { copies } from './copies.ts'
import { creation } from './creation.ts'
import { deploy } from './deploy.ts'
import { endpoints } from './endpoints.ts'
import { inside } from './inside.ts'
import { lbLatitudes } from './lb.ts'
import { late, life } from './life.ts'
import { lateLimits, limits } from './limits.ts'
import { lists } from './lists.ts'
import { oddRequests } from './odd-requests.ts'
import { offers } from './offers.ts'
import { queue } from './queue.ts'
import { queueJobs } from './queue-jobs.ts'
import { queuePolicy } from './queue-policy.ts'
import { lateQueueWork, queueWork } from './queue-work.ts'
import { refusals } from './refusals.ts'
import { shape } from './shape.ts'
import { terminated } from './terminated.ts'
import { besidesLb } from './tools.ts'
import { transport } from './transport.ts'
import { webhook } from './webhook.ts'

/** Every freedom that the description leaves, an entry each; each choice of the style of the reference is in one. */
export const latitudes: readonly Latitude[] = [
  ...on('pods', answers),
  ...on('pods', creation),
  ...bounds,
  ...on('pods', changes),
  ...on('pods', terminated),
  ...on('pods', life),
  ...on('pods', lists),
  ...on('pods', inside),
  ...on('pods', shape),
  ...on('pods', refusals),
  ...on('pods', limits),
  ...offers,
  ...absent,
  ...oddRequests,
  ...copies,
  ...on('queue', queue),
  ...on('queue', queuePolicy),
  ...on('queue', webhook),
  ...on('queue', queueJobs),
  ...on('queue', queueWork),
  ...on('lb', lbLatitudes),
  ...on('management', endpoints),
  ...on('deploy', deploy),
  ...on('pods', late),
  ...on('pods', changesOfFields),
  ...on('pods', lateLimits),
  ...on('queue', lateQueueWork),
  // Last, so that these wrappers are the outermost: the others read and change bodies as the reference wrote them.
  ...transport,
]

/** Latitudes that concern one plane alone, unless one says otherwise itself. */
function on(plane: LatitudePlane, latitudes: readonly Latitude[]): Latitude[] {
  return latitudes.map(({ wrap, ...latitude }) => ({
    planes: [plane],
    ...latitude,
    ...(wrap === undefined ? {} : { wrap: plane === 'lb' ? wrap : besidesLb(wrap) }),
  }))
}
