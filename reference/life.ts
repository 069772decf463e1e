/** How long things take, in milliseconds of the clock; 0 is at once. */
export interface Life {
  readonly provisioningMs: number
  readonly startingMs: number
  /** From the action stop to EXITED; the status stays as it was meanwhile. */
  readonly stopMs: number
  /** From the action start to STARTING, where `style.startStatus` is as-before. */
  readonly startDelayMs: number
  /** From the action restart to the new container, where the style does not restart at once. */
  readonly restartMs: number
  /** From RUNNING to the first live metrics. */
  readonly runtimeDelayMs: number
  /** How long live metrics are kept. */
  readonly runtimeCacheMs: number
  /** How long TERMINATED is shown, where `style.terminated` is shown-for-a-while. */
  readonly terminatedShownMs: number
  /** From a creation to the pod's place in the list. */
  readonly listLagMs: number
  /** From the end of a request's work to its answer. */
  readonly answerDelayMs: number
  /** Pods whose image begins with this end in ERROR instead of RUNNING. */
  readonly errorImage: string
  /** From a job's IN_PROGRESS to the call of its handler. */
  readonly dispatchMs: number
  /** From the end of a handler to the end of its job. */
  readonly reportMs: number
  /** From the end of a job to the first attempt of its webhook. */
  readonly webhookDelayMs: number
  /** How long an attempt of a webhook may take. */
  readonly webhookLimitMs: number
  /** How long /stream is held that has nothing to say. */
  readonly streamHoldMs: number
  /** By how much /runsync answers before its default wait is over. */
  readonly runsyncMarginMs: number
  /** How late the ends of ttl, retention and executionTimeout can be. */
  readonly jobJitterMs: number
  /** How late further attempts of notifications can be. */
  readonly webhookJitterMs: number
  /** How often jobs are deleted whose ttl is over, where `style.ttlSweep` is lazy. */
  readonly sweepMs: number
  /** How long the numbers of /health are kept. */
  readonly healthCacheMs: number
  /** How long /health counts a worker that died as unhealthy. */
  readonly unhealthyShownMs: number
  /** From the creation of an endpoint until it serves requests. */
  readonly endpointReachableMs: number
  /** How long a worker of a load-balanced endpoint takes to start. */
  readonly balancedStartMs: number
  /** Between two pings of a worker that is not ready. */
  readonly pingMs: number
  /** How long a request waits for a worker of a load-balanced endpoint. */
  readonly balancedWaitMs: number
}

export const defaultLife: Life = {
  provisioningMs: 2000,
  startingMs: 3000,
  stopMs: 0,
  startDelayMs: 1000,
  restartMs: 1000,
  runtimeDelayMs: 0,
  runtimeCacheMs: 0,
  terminatedShownMs: 60_000,
  listLagMs: 0,
  answerDelayMs: 0,
  errorImage: 'plumbline/error',
  dispatchMs: 0,
  reportMs: 0,
  webhookDelayMs: 0,
  webhookLimitMs: 30_000,
  streamHoldMs: 5000,
  runsyncMarginMs: 500,
  jobJitterMs: 0,
  webhookJitterMs: 0,
  sweepMs: 1000,
  healthCacheMs: 0,
  unhealthyShownMs: 60_000,
  endpointReachableMs: 0,
  balancedStartMs: 0,
  pingMs: 200,
  balancedWaitMs: 60_000,
}
