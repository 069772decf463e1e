import { Refusal } from '../../reference/index.ts'
import { composeOptions } from '../../reference/options.ts'
import type { Defect } from '../types.ts'
import { inputOf, jsonIn, takesInstead } from './queue-tools.ts'
import { type Change, membersOf, parts, withBody } from './tools.ts'

/** Submission bodies that are taken though they are wrong, or refused though they are right. */
export const queueBody = [
  {
    id: 'runsync-mends-json',
    rule: 'queue.body.not-json',
    clause: 'not-json',
    says: 'The operation /runsync mends a body whose last brace is missing.',
    observed: 'status 200',
    change: takesInstead('runsync', (text) => jsonIn(`${text}}`)),
  },
  {
    id: 'run-takes-list',
    rule: 'queue.body.not-json',
    clause: 'not-object',
    says: 'The operation /run takes a list with one submission.',
    observed: 'status 200',
    change: takesInstead('run', (text) => listIn(text)?.[0]),
  },
  {
    id: 'run-number-422',
    rule: 'queue.body.not-json',
    clause: 'not-object',
    says: 'The operation /run answers 422 to a body that is no object.',
    observed: 'status 422',
    wrap: refused((text) => membersOf(jsonIn(text)) === null && jsonIn(text) !== undefined),
  },
  {
    id: 'run-input-by-default',
    rule: 'queue.body.input-missing',
    clause: 'refused',
    says: 'The operation /run takes a body without input, as if it were empty.',
    observed: 'status 200',
    change: takesInstead('run', (text) => (inputOf(text) === undefined ? { input: {} } : undefined)),
  },
  {
    id: 'runsync-body-as-input',
    rule: 'queue.body.input-missing',
    clause: 'refused',
    says: 'The operation /runsync takes a body without input as the input.',
    observed: 'status 200',
    change: takesInstead('runsync', (text) =>
      inputOf(text) === undefined && 'prompt' in (membersOf(jsonIn(text)) ?? {}) ? { input: jsonIn(text) } : undefined,
    ),
  },
  {
    id: 'run-input-null',
    rule: 'queue.body.input-type',
    clause: 'refused',
    says: 'The operation /run takes an input of null.',
    observed: 'status 200',
    change: takesInstead('run', (text) => (inputOf(text) === null ? { input: {} } : undefined)),
  },
  {
    id: 'runsync-input-text-422',
    rule: 'queue.body.input-type',
    clause: 'refused',
    says: 'An input that is a text is answered 422.',
    observed: 'status 422',
    wrap: refused((text) => typeof inputOf(text) === 'string'),
  },
  {
    id: 'refused-and-queued',
    rule: 'queue.body.no-job',
    clause: 'not-executed',
    says: 'A list of submissions is answered 400, and what it holds is executed.',
    observed: 'an execution',
    wrap: (fetch) => async (request) => {
      const text = request.method === 'POST' ? await request.clone().text() : ''
      const response = await fetch(request.clone())
      const submission = response.status === 400 ? listIn(text)?.[0] : undefined
      if (submission !== undefined) await fetch(withBody(request, submission))
      return response
    },
  },
  {
    id: 'refused-and-queued-later',
    rule: 'queue.body.no-job',
    clause: 'not-executed',
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
  },
  {
    id: 'least-ttl-refused',
    rule: 'queue.body.ttl-bounds',
    clause: 'least',
    says: 'A ttl of 10 seconds is refused.',
    observed: 'status 400: {"error":"policy.ttl must be from 10001 to 604800000 milliseconds"}',
    change: refusesTtl(10_000, 'policy.ttl must be from 10001 to 604800000 milliseconds'),
  },
  {
    id: 'greatest-ttl-refused',
    rule: 'queue.body.ttl-bounds',
    clause: 'greatest',
    says: 'A ttl of 7 days is refused.',
    observed: 'status 400: {"error":"policy.ttl must be from 10000 to 604799999 milliseconds"}',
    change: refusesTtl(604_800_000, 'policy.ttl must be from 10000 to 604799999 milliseconds'),
  },
] as const satisfies readonly Defect[]

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

/** Refusals of bodies that `when` picks are 422. */
function refused(when: (text: string) => boolean): NonNullable<Defect['wrap']> {
  return (fetch) => async (request) => {
    const text = await request.clone().text()
    const response = await fetch(request)
    return response.status === 400 && when(text)
      ? new Response(response.body, { headers: response.headers, status: 422 })
      : response
  }
}
