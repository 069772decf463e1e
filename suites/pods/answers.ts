import { podRequired } from '../../generated/tables.ts'
import type { Reply } from '../../harness/client/reply.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import { headerOf, type WireResponse } from '../../harness/exchange/exchange.ts'
import type { PodView } from '../../harness/exchange/read.ts'
import type { Check } from '../../harness/rule/check.ts'

/** The full pod that start, stop and restart answer (heading Trigger a pod action). */
export function expectFullPod(check: Check, reply: Reply): PodView {
  const pod = check.pod(reply)
  const missing = podRequired.filter((name) => !(name in pod.value))
  check.that(missing.length === 0, 'every required field of a pod', `no ${missing.join(', ')}`, pod)
  return pod
}

/** A 204 leaves nothing behind that a client would read as a body. */
export function expectNoBody(check: Check, reply: Reply): void {
  const traces = bodyTraces({ headers: reply.exchange.response?.headers ?? [], body: reply.bytes })
  check.that(traces === null, 'no body', traces ?? 'no body', reply)
}

/** A read shows that a pod is gone: 404, or TERMINATED. */
export function expectTerminated(check: Check, reply: Reply): void {
  check.status(reply, 404, 200)
  if (reply.status === 404) return
  const pod = check.pod(reply)
  check.that(pod.status === 'TERMINATED', '404 or status TERMINATED', `status ${pod.status}`, pod)
}

/** A sign of a body in a response: its bytes, or a header that announces some. Null if there is none. */
export function bodyTraces({ headers, body }: Pick<WireResponse, 'headers' | 'body'>): string | null {
  if (body.length > 0) return `a body of ${pluralize(body.length, 'byte')}`
  const length = headerOf(headers, 'content-length')
  if (length !== null && length.trim() !== '0') return `Content-Length ${length}`
  const coding = headerOf(headers, 'transfer-encoding')
  return coding === null ? null : `Transfer-Encoding ${coding}`
}
