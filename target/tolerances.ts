/**
 * The tolerances of a run, each with its meaning, the reason for its default, and the default. A target file may set each
 * one (`docs/target-file.md`).
 */
export const defaultTolerances = {
  /** How long a pod may take to settle in a status, ms on the target's clock. */
  // 120s: a first pull of a small image on a cold host takes a minute and more.
  settleMs: 120_000,
  /** First pause between two reads of a pod; it doubles up to four times this. */
  // 500ms: quick enough to meet STARTING on most platforms, slow enough for a quota of 60 requests a minute with pacing.
  pollMs: 500,
  /** How long a container may take to respond at its port once its pod is RUNNING, ms. */
  // 30s: a program starts in seconds, and proxies commonly look for new pods every few seconds.
  containerMs: 30_000,
  /** How long a write may take to be visible in a read, ms. */
  // 10s: caches in front of a list are commonly that old.
  visibleMs: 10_000,
  /** How far a read may be behind an earlier one of the same resource, ms on the target's clock. */
  // 0s: few services read from copies that differ, and a value that returns is a common fault.
  stalenessMs: 0,
  /** Slack on t of a rate window, seconds. */
  // 1s: t is whole seconds, and rounding goes either way.
  windowSlackS: 1,
  /** Real ms to wait for a complete response. */
  // 30s: proxies give up on a response after 30 to 60 s.
  answerMs: 30_000,
  /** Real ms to wait for a connection. */
  // 5s: three lost SYN packets.
  connectMs: 5_000,
  /** The longest that a run waits for a rate window, ms on the target's clock; beyond it: inconclusive. */
  // 3m: two windows of a minute and slack; an hour's window is not waited out.
  rateWaitMs: 180_000,
  /** How long an endpoint without a free worker may take to have one, ms on the target's clock. */
  // 2m: a worker pulls its image and loads its model before it takes the first job.
  coldStartMs: 120_000,
  /** How long a free worker may take to start a job, and the end of a job to become visible, ms. */
  // 2s: workers commonly ask for jobs once a second, and report as often.
  dispatchMs: 2_000,
  /** How long after a job's end its first notification may come, ms. */
  // 5s: notifications commonly leave from a separate queue that is polled every few seconds.
  webhookMs: 5_000,
  /** By how much the time between two attempts of a notification may be off, ms. */
  // 5s: attempts at 0, 5 and 20 s were seen where 10 s apart was promised; they come from such a queue too.
  webhookSpacingMs: 5_000,
  /** By how much the mean time between attempts of several notifications may be off, ms. */
  // 2s: a fifth of the 10 s; early and late attempts of a queue that is polled every few seconds even out.
  webhookMeanMs: 2_000,
  /** How long a gateway may answer one operation in place of the API while the API answers others, ms. */
  // 60s: instances of a service that restarts are replaced one by one within a minute.
  outageMs: 60_000,
  /** How long the automatic retries of a job may take together, ms. */
  // 4m: two executions more, each with a cold start.
  retriesMs: 240_000,
  /** How long a hook may take, real ms. */
  // 60s: a hook may have to reach a host of the platform and wait for it.
  hookMs: 60_000,
  /** How late a ttl, a retention or an executionTimeout may be enforced, ms. */
  // 10s: what is over is commonly swept every few seconds.
  sweepMs: 10_000,
}

export type Tolerances = Readonly<typeof defaultTolerances>

/** The least that each tolerance may be, ms, by its name in the target file. */
export const leastTolerancesMs = {
  ...{
    settle: 1,
    poll: 10,
    container: 0,
    visible: 0,
    staleness: 0,
    windowSlack: 0,
    answer: 100,
    connect: 100,
    rateWait: 0,
    coldStart: 0,
  },
  ...{ dispatch: 0, webhook: 0, webhookSpacing: 0, webhookMean: 0, outage: 0, retries: 0, hook: 100, sweep: 0 },
}
