import { jsonIn } from '../../harness/exchange/exchange.ts'
import { wait } from '../../reference/index.ts'
import type { Endpoint, Submission } from '../../reference/queue/model.ts'
import type { Defect } from '../types.ts'
import { answersLate, asks, out, runsyncAtOnce } from './queue-tools.ts'
import {
  all,
  type Change,
  defect,
  onJson,
  onResponse,
  options,
  part,
  readdressed,
  refusing,
  restated,
  serving,
  withBody,
} from './tools.ts'

/** The responses of /run and /runsync, and submission bodies. */
export const queueSubmission: readonly Defect[] = [
  defect('run-answers-202', 'queue.run.accepted', 'accepted', {
    says: 'The operation /run answers 202.',
    observed: 'status 202',
    wrap: restated(asks('run'), 200, 202),
  }),
  defect('runsync-refuses-charset', 'queue.body.media-type', 'charset', {
    says: 'The operation /runsync refuses JSON whose content type has a character set.',
    observed: 'status 415',
    change: refusing(
      'readSubmission',
      ({ headers, url }) =>
        url.endsWith('/runsync') && `${headers.get('content-type')}`.includes('charset') && [415, 'no JSON'],
    ),
  }),
  defect('all-submissions-refused', 'queue.run.accepted', 'accepted', {
    says: 'The operation /run refuses every submission.',
    observed: 'status 400: {"error":"no more"}',
    wrap: onResponse(asks('run'), () => ({ status: 400, text: '{"error":"no more"}' })),
  }),
  defect('run-id-number', 'queue.run.accepted', 'id', {
    says: 'The operation /run answers the id as a number.',
    observed: '1',
    wrap: (fetch) => {
      const ids: string[] = []
      return async (request) => {
        const number = /^\/v2\/[^/]+\/(?:status|cancel)\/(\d+)$/.exec(new URL(request.url).pathname)?.[1]
        const id = ids[Number(number) - 1]
        const response = await fetch(id === undefined ? request : readdressed(request.url.replace(/\d+$/, id), request))
        if (!asks('run')(request) || response.status !== 200) return response
        const json = (await response.json()) as { readonly id: string }
        return Response.json({ ...json, id: ids.push(json.id) })
      }
    },
  }),
  defect('run-answers-in-progress', 'queue.run.accepted', 'in-queue', {
    says: 'The operation /run answers IN_PROGRESS.',
    observed: 'IN_PROGRESS',
    wrap: onJson(asks('run'), (json) => ({ ...json, status: 'IN_PROGRESS' })),
  }),
  defect('run-answers-waiting-at-low-priority', 'queue.run.accepted', 'in-queue', {
    says: 'The operation /run answers WAITING for a job of low priority.',
    observed: 'WAITING',
    change: runAnswers('WAITING', (_, { policy }) => policy.lowPriority === true),
  }),
  defect('run-refused-when-busy', 'queue.run.no-worker-free', 'accepted', {
    says: 'The operation /run is refused while no worker of the endpoint is free.',
    observed: 'status 400: {"error":"no worker is free"}',
    change: refusing('addJob', (_, __, endpoint) => endpoint.idle.length === 0 && [400, 'no worker is free']),
  }),
  defect('run-answers-202-when-busy', 'queue.run.no-worker-free', 'accepted', {
    says: 'The operation /run answers 202 while no worker of the endpoint is free.',
    observed: 'status 202',
    change: runAnswers(202, ({ idle }) => idle.length === 0),
  }),
  defect('runsync-refused-when-busy', 'queue.run.no-worker-free', 'runsync', {
    says: 'The operation /runsync is refused while no worker of the endpoint is free.',
    observed: 'status 400 while no worker is free',
    change: refusing(
      'addJob',
      (_, operation, { idle }) => operation === 'runsync' && idle.length === 0 && [400, 'no worker is free'],
    ),
  }),
  defect('run-busy-of-its-own', 'queue.run.no-worker-free', 'in-queue', {
    says: 'The operation /run answers BUSY while no worker of the endpoint is free.',
    observed: 'BUSY',
    change: runAnswers('BUSY', ({ idle }) => idle.length === 0),
  }),
  defect('run-answers-in-progress-if-worker-free', 'queue.run.unique-ids', 'in-queue', {
    says: 'The operation /run answers IN_PROGRESS if a worker takes the job at once.',
    observed: 'IN_PROGRESS',
    change: runAnswers('IN_PROGRESS', ({ idle }) => idle.length > 0),
  }),
  defect('run-answers-late', 'queue.run.no-worker-free', 'at-once', {
    says: 'The operation /run answers an hour after the submission.',
    observed: 'no response',
    change: answersLate('run'),
  }),
  defect('equal-submissions-are-one', 'queue.run.unique-ids', 'unique', {
    says: 'Two submissions that are equal are taken for one.',
    observed: 'an id given twice',
    change: part('addJob', (next, submission, _operation, endpoint) => {
      const text = JSON.stringify(submission)
      const same = [...endpoint.jobs.values()].find(({ input, webhook, policy, s3Config }) => {
        return JSON.stringify({ input, webhook, policy, s3Config }) === text
      })
      return same ?? next()
    }),
  }),
  defect('every-fiftieth-job-lost', 'queue.run.unique-ids', 'found', {
    says: 'Every fiftieth job that is accepted gets lost.',
    observed: 'status 404',
    change: part('addJob', (next) => {
      const job = next()
      if (job.n % 50 === 0) job.endpoint.jobs.delete(job.id)
      return job
    }),
  }),
  defect('every-fiftieth-submission-without-id', 'queue.run.unique-ids', 'accepted', {
    says: 'Every fiftieth submission is answered 200 without an id.',
    observed: 'no id',
    wrap(fetch) {
      let n = 0
      return async (request) => {
        const response = await fetch(request)
        if (!asks('run')(request) || !response.ok) return response
        return ++n % 50 === 0 ? Response.json({ status: 'IN_QUEUE' }) : response
      }
    },
  }),
  defect('many-submissions-refused', 'queue.run.unique-ids', 'accepted', {
    says: 'The fifty-first submission to an endpoint is refused.',
    observed: 'status 400: {"error":"too many jobs"}',
    change: refusing('addJob', (_, __, endpoint) => endpoint.jobs.size >= 50 && [400, 'too many jobs']),
  }),
  defect('runsync-input-without-nulls', 'queue.runsync.completed', 'output', {
    says: 'A job of /runsync loses the members of its input that are null.',
    observed: 'nothing at $.nothing',
    change: part('addJob', (next, submission, operation) => {
      const kept = Object.entries(submission.input).filter(([, value]) => value !== null || operation === 'run')
      return next({ ...submission, input: Object.fromEntries(kept) })
    }),
  }),
  defect('runsync-answers-202', 'queue.runsync.completed', 'status', {
    says: 'The operation /runsync answers 202.',
    observed: 'status 202',
    wrap: restated(asks('runsync'), 200, 202),
  }),
  defect('runsync-out', 'queue.runsync.completed', 'status', {
    says: 'A gateway answers /runsync with 503, and all other operations work.',
    observed: 'status 503 for 60 s, while /health is answered',
    wrap: out('runsync'),
  }),
  defect('run-out', 'queue.run.accepted', 'accepted', {
    says: 'A gateway answers /run with 503, and all other operations work.',
    observed: 'status 503 for 60 s, while /health is answered',
    wrap: out('run'),
  }),
  defect('runsync-late-for-every-job', 'queue.runsync.completed', 'completed', {
    says: 'The operation /runsync answers IN_PROGRESS after ten seconds, though its job is long done.',
    observed: 'status "IN_PROGRESS"',
    change: serving(async (request, { clock, fetch }) => {
      const response = await fetch(request)
      if (!asks('runsync')(request) || response.status !== 200) return response
      await wait(10_000, { clock })
      const { id } = (await response.json()) as { readonly id: string }
      return Response.json({ id, status: 'IN_PROGRESS' })
    }),
  }),
  defect('runsync-answers-list', 'queue.runsync.completed', 'body', {
    says: 'The operation /runsync answers a list of one job.',
    observed: '[]',
    wrap: onJson(asks('runsync'), () => []),
  }),
  defect('runsync-does-not-wait', 'queue.runsync.completed', 'completed', {
    says: 'The operation /runsync answers before the job is done.',
    observed: 'status "IN_QUEUE"',
    wrap: onJson(asks('runsync'), ({ id }) => ({ id, status: 'IN_QUEUE' })),
  }),
  defect('runsync-answers-while-job-runs', 'queue.runsync.when-done', 'waits', {
    says: 'The operation /runsync answers with the job as it is when it is submitted.',
    observed: 'IN_PROGRESS while the job runs',
    change: part('runsyncWaitOf', () => 0),
  }),
  defect('runsync-with-webhook-answers-at-once', 'queue.runsync.when-done', 'waits', {
    says: 'The operation /runsync answers at once if its job has a webhook.',
    observed: 'IN_QUEUE while the job runs',
    variation: { options: 'webhook' },
    change: runsyncAtOnce(({ webhook }) => webhook !== undefined),
  }),
  defect('runsync-answers-at-first-partial', 'queue.runsync.when-done', 'waits', {
    says: 'A partial result of a job ends the wait of /runsync.',
    observed: 'IN_PROGRESS while the job runs',
    change: part('addPartial', (next, job) => {
      job.isGone = true
      next()
      job.isGone = false
    }),
  }),
  defect('runsync-answers-at-end-of-wait', 'queue.runsync.when-done', 'at-once', {
    says: 'The operation /runsync answers when its wait of a minute is over, however long its job is done.',
    observed: 'no response',
    change: serving(async (request, { clock, fetch }) => {
      const [response] = await Promise.all([fetch(request), asks('runsync')(request) ? wait(59_500, { clock }) : null])
      return response
    }),
  }),
  defect('runsync-without-id', 'queue.runsync.completed', 'id', {
    says: 'The operation /runsync answers a done job without its id.',
    observed: 'nothing',
    wrap: onJson(asks('runsync'), ({ id: _, ...json }) => json),
  }),
  defect('runsync-without-output', 'queue.runsync.completed', 'output', {
    says: 'The operation /runsync answers a done job without its output.',
    observed: 'nothing',
    wrap: onJson(asks('runsync'), ({ output: _, ...json }) => json),
  }),
  defect('unknown-endpoint-healthy', 'queue.endpoint-unknown', 'refused', {
    says: 'The health of an endpoint that does not exist is that of a normal one.',
    observed: 'status 200',
    change: fallsBack('health'),
  }),
  defect('unknown-endpoint-runs', 'queue.endpoint-unknown', 'refused', {
    says: 'A submission to an endpoint that does not exist is accepted.',
    observed: 'status 200',
    change: fallsBack('run'),
  }),
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
  defect('refused-and-queued-after-minutes', 'queue.body.no-job', 'not-executed', {
    says: 'A list of submissions is answered 400, and what it holds is executed six minutes later.',
    observed: 'an execution',
    change: executesLists(360_000),
  }),
]

/** An operation on an endpoint that does not exist is carried out on the normal one. */
function fallsBack(operation: string): Change {
  return serving(async (request, { fetch }) => {
    const response = await fetch(request.clone())
    if (response.status !== 404 || !asks(operation)(request)) return response
    const url = new URL(request.url)
    url.pathname = `/v2/normal/${operation}`
    return fetch(readdressed(url.href, request))
  })
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

/** The job status in responses of /run, or their own, to jobs that are submitted while the endpoint is in some state. */
function runAnswers(status: string | number, when: (endpoint: Endpoint, submission: Submission) => boolean): Change {
  return (base) => {
    let isMeant = false
    const wrapFetch = onResponse(
      (request, response) => asks('run')(request) && response.status === 200 && isMeant,
      ({ text }) =>
        typeof status === 'number' ? { status } : { text: JSON.stringify({ ...JSON.parse(text), status }) },
    )
    const notes = part('addJob', (next, submission, _, endpoint) => {
      isMeant = when(endpoint, submission)
      return next()
    })
    return all(notes, options({ wrapFetch }))(base)
  }
}
