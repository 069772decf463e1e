/** How long things take unless options say otherwise, in milliseconds of the clock; 0 is at once. */
export const defaultLife = {
  provisioningMs: 2000,
  startingMs: 3000,
  /** From the action stop to EXITED; the status stays as it was meanwhile. */
  stopMs: 0,
  /** From the action start to STARTING, where `style.startStatus` is as-before. */
  startDelayMs: 1000,
  /** From the action restart to the new container, where the style does not restart at once. */
  restartMs: 1000,
  /** From RUNNING to the first live metrics. */
  runtimeDelayMs: 0,
  /** How long live metrics are kept. */
  runtimeCacheMs: 0,
  /** How long TERMINATED is shown, where `style.terminated` is shown-for-a-while. */
  terminatedShownMs: 60_000,
  /** From a creation to the pod's place in the list. */
  listLagMs: 0,
  /** From the end of a request's work to its response. */
  answerDelayMs: 0,
  /** Pods whose image begins with this end in ERROR instead of RUNNING. */
  errorImage: 'plumbline/error',
  /** From a job's IN_PROGRESS to the call of its handler. */
  dispatchMs: 0,
  /** From the end of a handler to the end of its job. */
  reportMs: 0,
  /** From the end of a job to the first attempt of its webhook. */
  webhookDelayMs: 0,
  /** How long an attempt of a webhook may take. */
  webhookLimitMs: 30_000,
  /** How long /stream is held that has nothing to say. */
  streamHoldMs: 5000,
  /** By how much /runsync answers before its default wait is over. */
  runsyncMarginMs: 500,
  /** How late the ends of ttl, retention and executionTimeout can be. */
  jobJitterMs: 0,
  /** How late further attempts of notifications can be. */
  webhookJitterMs: 0,
  /** How often jobs are deleted whose ttl is over, where `style.ttlSweep` is lazy. */
  sweepMs: 1000,
  /** How long the numbers of /health are kept. */
  healthCacheMs: 0,
  /** How long /health counts a worker that died as unhealthy. */
  unhealthyShownMs: 60_000,
  /** From the creation of an endpoint until it serves requests. */
  endpointReachableMs: 0,
  /** How long a worker of a load-balanced endpoint takes to start. */
  balancedStartMs: 0,
  /** Between two pings of a worker that is not ready. */
  pingMs: 200,
  /** How long a request waits for a worker of a load-balanced endpoint. */
  balancedWaitMs: 60_000,
}

export type Life = Readonly<typeof defaultLife>
