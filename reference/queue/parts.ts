import { isDelivered, isNotified, nextAttemptMs, notify } from '../webhook/notify.ts'
import { cancelJob, expireJob, purgeJobs, retryJob, timeOutJob } from './acts.ts'
import { finishJob } from './end.ts'
import { acceptsReport, addPartial, dispatch, requeueJob, retriesJob, stopExecution, takeJob } from './execute.ts'
import { findEndpoint, findJob } from './find.ts'
import { deadlineOf, executionTimeoutOf, retentionOf } from './limits-of.ts'
import { endsStream, runsyncWaitOf } from './operations.ts'
import { admit, presentError } from './pipeline.ts'
import { presentHealth, presentJob, presentNotification, presentRequests, presentStream } from './present.ts'
import type { QueueParts } from './service.ts'
import { addJob, readRouteInput, readSubmission, scalesWorkers, settlePolicy } from './submit.ts'
import { scaleWorkers, takeWorker } from './workers.ts'

export const queueParts: QueueParts = {
  acceptsReport,
  addJob,
  addPartial,
  admit,
  cancelJob,
  deadlineOf,
  dispatch,
  endsStream,
  executionTimeoutOf,
  expireJob,
  findEndpoint,
  findJob,
  finishJob,
  isDelivered,
  isNotified,
  nextAttemptMs,
  notify,
  presentError,
  presentHealth,
  presentJob,
  presentNotification,
  presentRequests,
  presentStream,
  purgeJobs,
  readRouteInput,
  readSubmission,
  requeueJob,
  retentionOf,
  retriesJob,
  retryJob,
  runsyncWaitOf,
  scalesWorkers,
  scaleWorkers,
  settlePolicy,
  stopExecution,
  takeJob,
  takeWorker,
  timeOutJob,
}
