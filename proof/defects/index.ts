import { derivedDefects } from '../tables/index.ts'
import type { Defect } from '../types.ts'
import { actionBodyEffects } from './action-body-effects.ts'
import { actionEffects } from './action-effects.ts'
import { actionTable } from './action-table.ts'
import { authAccess } from './auth-access.ts'
import { authEndpoints } from './auth-endpoints.ts'
import { authLb } from './auth-lb.ts'
import { authQueue } from './auth-queue.ts'
import { authToken } from './auth-token.ts'
import { create } from './create.ts'
import { deploy } from './deploy.ts'
import { endpoints } from './endpoints.ts'
import { endpointsQuota } from './endpoints-quota.ts'
import { errorsProblem } from './errors-problem.ts'
import { fuzzPods } from './fuzz-pods.ts'
import { fuzzQueue } from './fuzz-queue.ts'
import { lbRequests } from './lb-requests.ts'
import { lbWorkers } from './lb-workers.ts'
import { limitsHeaders } from './limits-headers.ts'
import { outages } from './outages.ts'
import { patchOpen } from './patch-open.ts'
import { patchPath } from './patch-path.ts'
import { patchUnchanged } from './patch-unchanged.ts'
import { queueActs } from './queue-acts.ts'
import { queueBody } from './queue-body.ts'
import { queueStatus } from './queue-status.ts'
import { queueSubmission } from './queue-submission.ts'
import { queueTimeExecution } from './queue-time-execution.ts'
import { queueTimeTtl } from './queue-time-ttl.ts'
import { queueVariation } from './queue-variation.ts'
import { shape } from './shape.ts'
import { variationPods } from './variation-pods.ts'
import { version } from './version.ts'
import { webhookAttempts } from './webhook-attempts.ts'
import { webhookEffects } from './webhook-effects.ts'
import { webhookVariation } from './webhook-variation.ts'

/** Every defect; at least one for each clause of each rule. */
export const defects: readonly Defect[] = [
  ...queueSubmission,
  ...queueStatus,
  ...queueActs,
  ...queueBody,
  ...authQueue,
  ...actionBodyEffects,
  ...actionEffects,
  ...actionTable,
  ...authAccess,
  ...authToken,
  ...create,
  ...errorsProblem,
  ...fuzzPods,
  ...fuzzQueue,
  ...limitsHeaders,
  ...outages,
  ...patchOpen,
  ...patchPath,
  ...patchUnchanged,
  ...shape,
  ...variationPods,
  ...webhookAttempts,
  ...webhookEffects,
  ...queueTimeTtl,
  ...queueTimeExecution,
  ...queueVariation,
  ...webhookVariation,
  ...authEndpoints,
  ...deploy,
  ...endpoints,
  ...endpointsQuota,
  ...version,
  ...authLb,
  ...lbRequests,
  ...lbWorkers,
  ...derivedDefects,
]
