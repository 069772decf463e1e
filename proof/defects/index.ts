import { derivedDefects } from '../tables/index.ts'
import type { Defect } from '../types.ts'
import { actionEffects } from './action-effects.ts'
import { actionTable } from './action-table.ts'
import { authOther } from './auth-other.ts'
import { authOperations } from './auth-table.ts'
import { connections } from './connections.ts'
import { create } from './create.ts'
import { createdValues } from './created-values.ts'
import { deploy } from './deploy.ts'
import { endpoints } from './endpoints.ts'
import { endpointsGone } from './endpoints-gone.ts'
import { endpointQuota } from './endpoints-quota.ts'
import { endpointUpdates } from './endpoints-update.ts'
import { excuses } from './excuses.ts'
import { fields } from './fields.ts'
import { fuzz } from './fuzz.ts'
import { inside } from './inside.ts'
import { kept } from './kept.ts'
import { lbBodies } from './lb-bodies.ts'
import { lbPlatform } from './lb-platform.ts'
import { lbRequests } from './lb-requests.ts'
import { lbSecond } from './lb-second.ts'
import { lbWorkers } from './lb-workers.ts'
import { life } from './life.ts'
import { limits } from './limits.ts'
import { listDelete } from './list-delete.ts'
import { listed } from './listed.ts'
import { locked } from './locked.ts'
import { mediaType } from './media-type.ts'
import { newPods } from './new-pods.ts'
import { oddAccess } from './odd-access.ts'
import { oddRequests } from './odd-requests.ts'
import { oddRoutes } from './odd-routes.ts'
import { outages } from './outages.ts'
import { patch } from './patch.ts'
import { patchFields } from './patch-fields.ts'
import { queueActs } from './queue-acts.ts'
import { queueEcho } from './queue-echo.ts'
import { queueExecutionTimeout } from './queue-execution-timeout.ts'
import { queueHealth } from './queue-health.ts'
import { queueHistories } from './queue-histories.ts'
import { queueMany } from './queue-many.ts'
import { queuePolicy } from './queue-policy.ts'
import { queuePriority } from './queue-priority.ts'
import { queuePurge } from './queue-purge.ts'
import { queueResults } from './queue-results.ts'
import { queueRetention } from './queue-retention.ts'
import { queueRetry } from './queue-retry.ts'
import { queueRunsync } from './queue-runsync.ts'
import { queueSecond } from './queue-second.ts'
import { queueStatus } from './queue-status.ts'
import { queueStream } from './queue-stream.ts'
import { queueSubmission } from './queue-submission.ts'
import { queueTtl } from './queue-ttl.ts'
import { queueUnknown } from './queue-unknown.ts'
import { queueVariation } from './queue-variation.ts'
import { queueWalk } from './queue-walk.ts'
import { serverErrors } from './server-errors.ts'
import { shape } from './shape.ts'
import { siblings } from './siblings.ts'
import { variationPods } from './variation-pods.ts'
import { version } from './version.ts'
import { walk } from './walk.ts'
import { webhook } from './webhook.ts'
import { webhookJobs } from './webhook-jobs.ts'
import { webhookReceivers } from './webhook-receivers.ts'

/** Every defect; at least one for each clause of each rule. */
export const defects: readonly Defect[] = [
  ...queueSubmission,
  ...queueEcho,
  ...queueSecond,
  ...queueStatus,
  ...queueRunsync,
  ...queueHealth,
  ...queueMany,
  ...queuePriority,
  ...queueResults,
  ...queueActs,
  ...authOperations,
  ...actionEffects,
  ...actionTable,
  ...authOther,
  ...connections,
  ...create,
  ...fields,
  ...fuzz,
  ...inside,
  ...kept,
  ...createdValues,
  ...listDelete,
  ...listed,
  ...mediaType,
  ...oddRequests,
  ...oddRoutes,
  ...oddAccess,
  ...outages,
  ...patch,
  ...patchFields,
  ...serverErrors,
  ...shape,
  ...life,
  ...locked,
  ...newPods,
  ...limits,
  ...siblings,
  ...variationPods,
  ...walk,
  ...webhook,
  ...webhookJobs,
  ...webhookReceivers,
  ...queuePolicy,
  ...queuePurge,
  ...queueRetry,
  ...queueStream,
  ...queueRetention,
  ...queueTtl,
  ...queueExecutionTimeout,
  ...queueUnknown,
  ...queueVariation,
  ...queueWalk,
  ...queueHistories,
  ...deploy,
  ...endpoints,
  ...endpointUpdates,
  ...endpointsGone,
  ...endpointQuota,
  ...version,
  ...lbBodies,
  ...lbRequests,
  ...lbSecond,
  ...lbWorkers,
  ...lbPlatform,
  ...excuses,
  ...derivedDefects,
]
