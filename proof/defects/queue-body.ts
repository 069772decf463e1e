import type { Defect } from '../types.ts'
import { jsonIn } from './queue-tools.ts'
import { type Change, defect, refusing, serving, withBody } from './tools.ts'

/** Submission bodies that are taken though they are wrong, or refused though they are right. */
export const queueBody: readonly Defect[] = [
  defect('refused-and-queued', 'queue.body.no-job', 'not-executed', {
    says: 'A list of submissions is answered 400, and what it holds is executed.',
    observed: 'an execution',
    change: executesLists(0),
  }),
  defect('refused-and-queued-later', 'queue.body.no-job', 'not-executed', {
    says: 'A list of submissions is answered 400, and what it holds is executed ten seconds later.',
    observed: 'an execution',
    change: executesLists(10_000),
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
  return refusing('settlePolicy', (policy) => policy.ttl === ttl && [400, message])
}

/** The first of a list of submissions is executed so many ms after the list was refused. */
function executesLists(ms: number): Change {
  return serving(async (request, { clock, fetch }) => {
    const text = request.method === 'POST' ? await request.clone().text() : ''
    const response = await fetch(request.clone())
    const list = jsonIn(text)
    if (response.status !== 400 || !Array.isArray(list) || list.length === 0) return response
    if (ms === 0) await fetch(withBody(request, list[0]))
    else clock.schedule(clock.now() + ms, () => void fetch(withBody(request, list[0])))
    return response
  })
}
