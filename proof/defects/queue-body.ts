import { Refusal } from '../../reference/index.ts'
import { composeOptions } from '../../reference/options.ts'
import type { Defect } from '../types.ts'
import { jsonIn } from './queue-tools.ts'
import { type Change, defect, parts, withBody } from './tools.ts'

/** Submission bodies that are taken though they are wrong, or refused though they are right. */
export const queueBody: readonly Defect[] = [
  defect('refused-and-queued', 'queue.body.no-job', 'not-executed', {
    says: 'A list of submissions is answered 400, and what it holds is executed.',
    observed: 'an execution',
    wrap: (fetch) => async (request) => {
      const text = request.method === 'POST' ? await request.clone().text() : ''
      const response = await fetch(request.clone())
      const submission = response.status === 400 ? listIn(text)?.[0] : undefined
      if (submission !== undefined) await fetch(withBody(request, submission))
      return response
    },
  }),
  defect('refused-and-queued-later', 'queue.body.no-job', 'not-executed', {
    says: 'A list of submissions is answered 400, and what it holds is executed ten seconds later.',
    observed: 'an execution',
    change: (base) =>
      composeOptions(base, {
        wrapFetch: (fetch) => async (request) => {
          const text = request.method === 'POST' ? await request.clone().text() : ''
          const response = await fetch(request.clone())
          const submission = response.status === 400 ? listIn(text)?.[0] : undefined
          if (submission !== undefined) {
            base.clock.schedule(base.clock.now() + 10_000, () => void fetch(withBody(request, submission)))
          }
          return response
        },
      }),
  }),
  defect('least-ttl-refused', 'queue.body.ttl-bounds', 'least', {
    says: 'A ttl of 10 seconds is refused.',
    observed: 'status 400: {"error":"policy.ttl must be from 10001 to 604800000 milliseconds"}',
    change: refusesTtl(10_000, 'policy.ttl must be from 10001 to 604800000 milliseconds'),
  }),
  defect('greatest-ttl-refused', 'queue.body.ttl-bounds', 'greatest', {
    says: 'A ttl of 7 days is refused.',
    observed: 'status 400: {"error":"policy.ttl must be from 10000 to 604799999 milliseconds"}',
    change: refusesTtl(604_800_000, 'policy.ttl must be from 10000 to 604799999 milliseconds'),
  }),
]

function refusesTtl(ttl: number, message: string): Change {
  return parts({
    settlePolicy: (original) => (policy, service) => {
      if (policy.ttl === ttl) throw new Refusal(400, message)
      return original(policy, service)
    },
  })
}

function listIn(text: string): readonly unknown[] | null {
  const value = jsonIn(text)
  return Array.isArray(value) ? value : null
}
