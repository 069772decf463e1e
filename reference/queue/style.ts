/** The freedoms of the queue plane; each name says what is decided, and the first choice is the default. */
export const queueStyleChoices = {
  // Visible to a caller
  /** An endpoint of another account. */
  endpointHidden: [404, 403],
  /** Another method on a known operation. */
  queueMethod: [405, 404],
  /** A job id that was never issued on the endpoint; one that was removed is 404. */
  jobUnknown: [404, 400],
  jobIdForm: ['word', 'uuid', 'suffixed', 'counted'],
  /** Least is id, status, output and error. */
  jobFields: ['full', 'least'],
  /** How fine delayTime and executionTime are. */
  jobTimes: ['milliseconds', 'seconds'],
  /** The output that a COMPLETED job shows if it is null. */
  nullOutput: ['shown', 'left-out'],
  /** The last partial result as the output of a running job. */
  progressOutput: ['hidden', 'shown'],
  streamForm: ['new', 'cumulative'],
  /** True if a 429 of this plane has Retry-After. */
  queueRetryAfter: [true, false],

  // Submission
  /** A policy outside its bounds. */
  policyRange: [400, 'clamp'],
  /** A wait of /runsync outside its bounds. */
  waitRange: [400, 'clamp'],

  // Life
  /** Where a job waits that is executed again. */
  requeuePlace: ['front', 'back'],
  /** The automatic retry of a job whose handler failed. */
  handlerRetry: ['no', 'yes'],
  /** How a job ends that ran past its executionTimeout. */
  timedOutStatus: ['FAILED', 'TIMED_OUT'],
  cancelledJob: ['CANCELLED', 'gone'],
  purgedJob: ['gone', 'CANCELLED'],
  /** Cancelling a job that is finished. */
  cancelFinished: [200, 400, 409],
  /** Retrying a job that neither failed nor timed out. */
  retryRefused: [400, 409],
  /** The ttl of a job after /retry. */
  retryTtl: ['kept', 'anew'],
  /** When a job whose ttl is over stops: at once, or, hidden at once, with the next sweep (`life.sweepMs`). */
  ttlSweep: ['at-once', 'lazy'],
  /** Which of the two documented times /runsync results are kept. */
  runsyncRetention: ['shorter', 'longer'],
  /** /runsync of a job that fails while it waits. */
  runsyncFailed: [200, 500],

  // Webhooks
  /** The notification of a job that failed or timed out. */
  webhookOnFailure: ['yes', 'no'],
  /** From where the time between two attempts counts. */
  webhookSpacing: ['attempt', 'answer'],
} as const
