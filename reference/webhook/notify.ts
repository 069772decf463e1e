import { CALL_HEADER, unlessAborted } from '../../worker/beacon.ts'
import type { Job } from '../queue/model.ts'
import type { QueueService } from '../queue/service.ts'
import { lateBy, track } from '../queue/time.ts'

/** A notification on its way: what is sent stays the same for every attempt. */
interface Notification {
  readonly url: string
  readonly body: string
  readonly n: number
}

/**
 * Tells the receiver that a submission named how its job ended (heading Events): at most as many attempts as the
 * tables allow, until one is answered as it must be. Nothing here touches the job.
 */
export function notify(job: Job, service: QueueService): void {
  const { parts, life, queue } = service
  if (job.webhook === null || !parts.isNotified(job, service)) return
  const n = queue.next('notification') + 1
  const notification = { url: job.webhook, body: JSON.stringify(parts.presentNotification(job, service)), n }
  if (life.webhookDelayMs === 0) attempt(notification, 1, service)
  else attemptAt(service.clock.now() + life.webhookDelayMs, notification, 1, service)
}

/** True if the end of a job is notified. */
export function isNotified({ status }: Job, { style }: QueueService): boolean {
  if (status === 'COMPLETED') return true
  return style.webhookOnFailure === 'yes' && (status === 'FAILED' || status === 'TIMED_OUT')
}

/** True if an attempt succeeded, by the status of its answer; null if there was none. */
export function isDelivered(status: number | null, _service: QueueService): boolean {
  return status === 200
}

/** When the attempt after `count` others is made; null if there is none. */
export function nextAttemptMs(
  count: number,
  attemptMs: number,
  answerMs: number,
  service: QueueService,
): number | null {
  const { style, tables } = service
  if (count > tables.quotas.webhookRetries) return null
  return (style.webhookSpacing === 'attempt' ? attemptMs : answerMs) + tables.durations.webhookSpacingMs
}

function attempt(notification: Notification, count: number, service: QueueService): void {
  const call = `c${notification.n}.${count}`
  track(call, () => deliver(notification, count, call, service), service)
}

async function deliver(notification: Notification, count: number, call: string, service: QueueService): Promise<void> {
  const { clock, parts } = service
  const attemptMs = clock.now()
  const status = await send(notification, call, service)
  if (status === 'called-off' || parts.isDelivered(status, service)) return
  const nextMs = parts.nextAttemptMs(count, attemptMs, clock.now(), service)
  if (nextMs === null) return
  const lateMs = lateBy(nextMs, notification.n + count, service.life.webhookJitterMs)
  attemptAt(lateMs, notification, count + 1, service)
}

function attemptAt(atMs: number, notification: Notification, count: number, service: QueueService): void {
  const { clock, queue } = service
  const cancel = clock.schedule(atMs, () => {
    queue.pending.delete(cancel)
    attempt(notification, count, service)
  })
  queue.pending.add(cancel)
}

/** The status of the answer, or null if none came within the time limit of an attempt. */
async function send(
  { url, body }: Notification,
  call: string,
  { clock, life, queue }: QueueService,
): Promise<number | null | 'called-off'> {
  const limit = new AbortController()
  const cancel = clock.schedule(clock.now() + life.webhookLimitMs, () => limit.abort())
  let isCalledOff = false
  const callOff = () => {
    isCalledOff = true
    limit.abort()
  }
  queue.pending.add(callOff)
  try {
    const request = new Request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [CALL_HEADER]: call },
      body,
      redirect: 'manual',
      signal: limit.signal,
    })
    const response = await unlessAborted(queue.call(request), limit.signal)
    await response.body?.cancel()
    return response.status
  } catch {
    return isCalledOff ? 'called-off' : null
  } finally {
    cancel()
    queue.pending.delete(callOff)
  }
}
