import { Refusal } from '../../reference/index.ts'
import { composeOptions } from '../../reference/options.ts'
import type { Defect } from '../types.ts'
import { asks, out, showsIn, takesInput } from './queue-tools.ts'
import { onAnswer, onJson, parts } from './tools.ts'

/** What /run and /runsync answer, and what becomes of input and output. */
export const queueSubmission = [
  {
    id: 'run-answers-202',
    rule: 'queue.run.accepted',
    clause: 'accepted',
    says: 'The operation /run answers 202.',
    observed: 'status 202',
    wrap: onAnswer(
      (request, { status }) => asks('run')(request) && status === 200,
      () => ({ status: 202 }),
    ),
  },
  {
    id: 'all-submissions-refused',
    rule: 'queue.run.accepted',
    clause: 'accepted',
    says: 'The operation /run refuses every submission.',
    observed: 'status 400: {"error":"no more"}',
    wrap: onAnswer(asks('run'), () => ({ status: 400, text: '{"error":"no more"}' })),
  },
  {
    id: 'run-id-number',
    rule: 'queue.run.accepted',
    clause: 'id',
    says: 'The operation /run answers the id as a number.',
    observed: '1',
    wrap: (fetch) => {
      const ids: string[] = []
      return async (request) => {
        const number = /\d+$/.exec(new URL(request.url).pathname)?.[0]
        const id = ids[Number(number) - 1]
        const response = await fetch(id === undefined ? request : new Request(request.url.replace(/\d+$/, id), request))
        if (!asks('run')(request) || response.status !== 200) return response
        const json = (await response.json()) as { readonly id: string }
        return Response.json({ ...json, id: ids.push(json.id) })
      }
    },
  },
  {
    id: 'run-answers-in-progress',
    rule: 'queue.run.accepted',
    clause: 'in-queue',
    says: 'The operation /run answers IN_PROGRESS.',
    observed: 'IN_PROGRESS',
    wrap: onJson(asks('run'), (json) => ({ ...json, status: 'IN_PROGRESS' })),
  },
  {
    id: 'run-refused-when-busy',
    rule: 'queue.run.no-worker-free',
    clause: 'accepted',
    says: 'The operation /run is refused while no worker of the endpoint is free.',
    observed: 'status 400: {"error":"no worker is free"}',
    change: parts({
      addJob: (original) => (submission, operation, endpoint, service) => {
        if (endpoint.idle.length === 0) throw new Refusal(400, 'no worker is free')
        return original(submission, operation, endpoint, service)
      },
    }),
  },
  {
    id: 'run-busy-of-its-own',
    rule: 'queue.run.no-worker-free',
    clause: 'in-queue',
    says: 'The operation /run answers BUSY while no worker of the endpoint is free.',
    observed: 'BUSY',
    change: (options) => {
      let isBusy = false
      return composeOptions(options, {
        parts: {
          addJob: (original) => (submission, operation, endpoint, service) => {
            isBusy = endpoint.idle.length === 0
            return original(submission, operation, endpoint, service)
          },
        },
        wrapFetch: onJson(
          (request, { status }) => asks('run')(request) && status === 200 && isBusy,
          (json) => ({ ...json, status: 'BUSY' }),
        ),
      })
    },
  },
  {
    id: 'run-answers-late',
    rule: 'queue.run.no-worker-free',
    clause: 'at-once',
    says: 'The operation /run answers an hour after the submission.',
    observed: 'no answer',
    change: (options) =>
      composeOptions(options, {
        wrapFetch: (fetch) => async (request) => {
          const response = await fetch(request)
          if (asks('run')(request)) {
            await new Promise<void>((resolve) => options.clock.schedule(options.clock.now() + 3_600_000, resolve))
          }
          return response
        },
      }),
  },
  {
    id: 'equal-submissions-are-one',
    rule: 'queue.run.unique-ids',
    clause: 'unique',
    says: 'Two submissions that are equal are taken for one.',
    observed: 'an id given twice',
    change: parts({
      addJob: (original) => (submission, operation, endpoint, service) => {
        const text = JSON.stringify(submission)
        const same = [...endpoint.jobs.values()].find(({ input, webhook, policy, s3Config }) => {
          return JSON.stringify({ input, webhook, policy, s3Config }) === text
        })
        return same ?? original(submission, operation, endpoint, service)
      },
    }),
  },
  {
    id: 'many-submissions-refused',
    rule: 'queue.run.unique-ids',
    clause: 'accepted',
    says: 'The fifty-first submission to an endpoint is refused.',
    observed: 'status 400: {"error":"too many jobs"}',
    change: parts({
      addJob: (original) => (submission, operation, endpoint, service) => {
        if (endpoint.jobs.size >= 50) throw new Refusal(400, 'too many jobs')
        return original(submission, operation, endpoint, service)
      },
    }),
  },
  {
    id: 'input-lists-flattened',
    rule: 'queue.run.echo',
    clause: 'nested',
    says: 'Lists within lists of an input are flattened.',
    observed: 'something else',
    change: takesInput((input) => JSON.parse(JSON.stringify(input), flattened)),
  },
  {
    id: 'output-not-ascii-lost',
    rule: 'queue.run.echo',
    clause: 'unicode',
    says: 'Letters beyond ASCII of an output become question marks.',
    observed: 'something else',
    change: showsIn('COMPLETED', (shown) => JSON.parse(JSON.stringify(shown).replace(/[^\0-\x7f]/g, '?'))),
  },
  {
    id: 'output-empty-left-out',
    rule: 'queue.run.echo',
    clause: 'empty',
    says: 'An output that is an empty object is left out.',
    observed: 'nothing',
    change: showsIn('COMPLETED', ({ output, ...shown }) =>
      JSON.stringify(output) === '{}' ? shown : { ...shown, output },
    ),
  },
  {
    id: 'output-numbers-rounded',
    rule: 'queue.run.echo',
    clause: 'doubles',
    says: 'Numbers of an output lose digits, as in half of their length.',
    observed: 'something else',
    change: showsIn('COMPLETED', (shown) =>
      JSON.parse(JSON.stringify(shown), (_, value) => (typeof value === 'number' ? Math.fround(value) : value)),
    ),
  },
  {
    id: 'input-texts-cut',
    rule: 'queue.run.echo',
    clause: 'large',
    says: 'Texts of an input are cut at 64 KB.',
    observed: 'something else',
    change: takesInput((input) =>
      JSON.parse(JSON.stringify(input), (_, value) => (typeof value === 'string' ? value.slice(0, 65_536) : value)),
    ),
  },
  {
    id: 'runsync-answers-202',
    rule: 'queue.runsync.completed',
    clause: 'status',
    says: 'The operation /runsync answers 202.',
    observed: 'status 202',
    wrap: onAnswer(
      (request, { status }) => asks('runsync')(request) && status === 200,
      () => ({ status: 202 }),
    ),
  },
  {
    id: 'runsync-out',
    rule: 'queue.runsync.completed',
    clause: 'status',
    says: 'A gateway answers /runsync with 503, and all other operations work.',
    observed: 'status 503 for 60 s, while /health is answered',
    wrap: out('runsync'),
  },
  {
    id: 'run-out',
    rule: 'queue.run.accepted',
    clause: 'accepted',
    says: 'A gateway answers /run with 503, and all other operations work.',
    observed: 'status 503 for 60 s, while /health is answered',
    wrap: out('run'),
  },
  {
    id: 'runsync-late-for-every-job',
    rule: 'queue.runsync.completed',
    clause: 'completed',
    says: 'The operation /runsync answers IN_PROGRESS after ten seconds, though its job is long done.',
    observed: 'status "IN_PROGRESS"',
    change: (options) =>
      composeOptions(options, {
        wrapFetch: (fetch) => async (request) => {
          const response = await fetch(request)
          if (!asks('runsync')(request) || response.status !== 200) return response
          await new Promise<void>((resolve) => options.clock.schedule(options.clock.now() + 10_000, resolve))
          const { id } = (await response.json()) as { readonly id: string }
          return Response.json({ id, status: 'IN_PROGRESS' })
        },
      }),
  },
  {
    id: 'runsync-answers-list',
    rule: 'queue.runsync.completed',
    clause: 'body',
    says: 'The operation /runsync answers a list of one job.',
    observed: '[]',
    wrap: onJson(asks('runsync'), () => []),
  },
  {
    id: 'runsync-does-not-wait',
    rule: 'queue.runsync.completed',
    clause: 'completed',
    says: 'The operation /runsync answers before the job is done.',
    observed: 'status "IN_QUEUE"',
    wrap: onJson(asks('runsync'), ({ id }) => ({ id, status: 'IN_QUEUE' })),
  },
  {
    id: 'runsync-answers-while-job-runs',
    rule: 'queue.runsync.when-done',
    clause: 'waits',
    says: 'The operation /runsync answers with the job as it is when it is submitted.',
    observed: 'IN_PROGRESS while the job runs',
    change: parts({ runsyncWaitOf: () => () => 0 }),
  },
  {
    id: 'runsync-answers-at-end-of-wait',
    rule: 'queue.runsync.when-done',
    clause: 'at-once',
    says: 'The operation /runsync answers when its wait of a minute is over, however long its job is done.',
    observed: 'no answer',
    change: (options) =>
      composeOptions(options, {
        wrapFetch: (fetch) => async (request) => {
          const endMs = options.clock.now() + 59_500
          const response = await fetch(request)
          if (asks('runsync')(request)) await new Promise<void>((end) => options.clock.schedule(endMs, end))
          return response
        },
      }),
  },
  {
    id: 'runsync-without-id',
    rule: 'queue.runsync.completed',
    clause: 'id',
    says: 'The operation /runsync answers a done job without its id.',
    observed: 'nothing',
    wrap: onJson(asks('runsync'), ({ id: _, ...json }) => json),
  },
  {
    id: 'runsync-without-output',
    rule: 'queue.runsync.completed',
    clause: 'output',
    says: 'The operation /runsync answers a done job without its output.',
    observed: 'nothing',
    wrap: onJson(asks('runsync'), ({ output: _, ...json }) => json),
  },
  {
    id: 'unknown-endpoint-healthy',
    rule: 'queue.endpoint-unknown',
    clause: 'refused',
    says: 'The health of an endpoint that does not exist is that of a normal one.',
    observed: 'status 200',
    change: fallsBack('health'),
  },
  {
    id: 'unknown-endpoint-runs',
    rule: 'queue.endpoint-unknown',
    clause: 'refused',
    says: 'A submission to an endpoint that does not exist is accepted.',
    observed: 'status 200',
    change: fallsBack('run'),
  },
] as const satisfies readonly Defect[]

function flattened(_: string, value: unknown): unknown {
  return Array.isArray(value) ? value.flat() : value
}

/** An operation on an endpoint that does not exist is carried out on the normal one. */
function fallsBack(operation: string): NonNullable<Defect['change']> {
  return (options) =>
    composeOptions(options, {
      wrapFetch: (fetch) => async (request) => {
        const response = await fetch(request.clone())
        if (response.status !== 404 || !asks(operation)(request)) return response
        const url = new URL(request.url)
        url.pathname = `/v2/normal/${operation}`
        return fetch(new Request(url, request))
      },
    })
}
