import { Refusal } from '../../reference/index.ts'
import { isFinished, type Job } from '../../reference/queue/model.ts'
import { asks, restartJob } from '../defects/queue-tools.ts'
import { jsonOf, onJson, onResponse, part } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { latitude, reads, streamed, timed } from './tools.ts'

/** How streams, /cancel, /retry, /purge-queue, /requests and the OpenAI routes respond. */
export const queueJobs: readonly Latitude[] = [
  timed('stream-not-held', 'A call of /stream is answered at once, also if there is nothing new.', { streamHoldMs: 0 }),
  timed('stream-held-25-s', 'A call of /stream waits up to 25 seconds for something new.', { streamHoldMs: 25_000 }),
  latitude('stream-id-in-query', 'The id of a job is in the query of /stream, as the target file says.', {
    about: 'addresses of streams',
    wrap: onResponse(
      ({ url }) => /\/stream\/[^/]+$/.test(new URL(url).pathname),
      () => ({ status: 404, text: '{"error":"unknown operation"}' }),
    ),
    file: ({ queue, ...target }) => ({
      ...target,
      queue: queue && { ...queue, paths: { ...queue.paths, streamJob: '/v2/{endpoint}/stream?id={job}' } },
    }),
  }),
  latitude('stream-in-pages', 'A response of /stream has at most two partial results, and is final with the last.', {
    about: 'responses of /stream',
    change: inPages(2),
  }),
  latitude('stream-one-by-one', 'A response of /stream has one partial result, and is final with the last.', {
    about: 'responses of /stream',
    change: inPages(1),
  }),
  latitude('stream-keeps-former-parts', 'The stream of a job that is executed again begins with the former results.', {
    change: part('requeueJob', (next, job) => {
      const { partials } = job
      next()
      job.partials = partials
    }),
  }),
  latitude('stream-in-batches', 'Partial results are shown every two seconds, and at the end of the job.', {
    about: ['jobs as they are shown', 'responses of /stream'],
    change: (base) => {
      const held = new Map<Job, unknown[]>()
      const flush = (job: Job, add: (partial: unknown) => void) => {
        for (const partial of held.get(job) ?? []) add(partial)
        held.delete(job)
      }
      const addLater = part('addPartial', (next, job, partial, { clock }) => {
        const isFirst = !held.has(job)
        held.set(job, [...(held.get(job) ?? []), partial])
        if (isFirst) clock.schedule(clock.now() + 2_000, () => flush(job, (one) => next(job, one)))
      })
      const addAtEnd = part('finishJob', (next, job) => {
        flush(job, (one) => void job.partials.push(one))
        next()
      })
      return addAtEnd(addLater(base))
    },
  }),
  latitude(
    'stream-bare',
    'The response of /stream is the list of results, and 404 once it is over, as the file says.',
    {
      about: 'responses of /stream',
      change: (base) => {
        const over = new WeakSet<Job>()
        return part('presentStream', (next, job) => {
          const isRead = job.drained === job.partials.length
          if (isFinished(job) && over.has(job) && isRead) throw new Refusal(404, 'the stream is over')
          if (isFinished(job)) over.add(job)
          return next()
        })(base)
      },
      wrap: onJson(
        (request, { status }) => status === 200 && asks('stream')(request),
        ({ stream }) => (stream as readonly { readonly output: unknown }[]).map(({ output }) => output),
      ),
      file: streamed({ at: '', outputAt: '' }),
    },
  ),
  latitude('stream-unread-404', 'The stream of a job that ended before it was read is 404.', {
    about: 'responses of /stream',
    change: part('presentStream', (next, job) => {
      if (isFinished(job) && job.drained === 0) throw new Refusal(404, 'the stream is over')
      return next()
    }),
  }),
  latitude('stream-with-output', 'The last result in the stream of a job that has emitted something is its output.', {
    about: 'responses of /stream',
    change: part('finishJob', (next, job, status, result) => {
      if (status === 'COMPLETED' && job.partials.length > 0) job.partials.push(result.output)
      next()
    }),
  }),
  latitude(
    'stream-cumulative-empty',
    'A cumulative stream is empty after the response that shows the end of its job.',
    {
      about: 'responses of /stream',
      style: { streamForm: 'cumulative' },
      change: (base) => {
        const over = new WeakSet<Job>()
        return part('presentStream', (next, job) => {
          if (isFinished(job) && over.has(job)) return { ...next(), stream: [] }
          if (isFinished(job)) over.add(job)
          return next()
        })(base)
      },
      file: streamed({ form: 'cumulative' }),
    },
  ),
  latitude('requests-bare-list', 'The response of /requests is the list itself.', {
    about: 'responses of /requests',
    wrap: onJson(
      (request, { status }) => status === 200 && asks('requests')(request),
      ({ requests }) => requests,
    ),
    readings: reads('queue.requests.answers', 'the response', ['list']),
  }),
  ...([true, false] as const).map((isOver) =>
    latitude(
      isOver ? 'requests-of-finished-jobs' : 'requests-of-unfinished-jobs',
      `The operation /requests names jobs that ${isOver ? 'have ended' : 'wait or run'}, and no others.`,
      {
        change: part('presentRequests', (next, endpoint) => {
          const jobs = new Map([...endpoint.jobs].filter(([, job]) => isFinished(job) === isOver))
          return next({ ...endpoint, jobs })
        }),
      },
    ),
  ),
  latitude('openai-in-a-job', 'An OpenAI route responds with the job: its input, and what the worker returned.', {
    about: 'responses of OpenAI routes',
    wrap: (fetch) => async (request) => {
      const input = await jsonOf(request)
      const isMeant = (one: Request, { status }: Response) => status === 200 && asks('openai')(one)
      return onJson(isMeant, (output) => ({ status: 'COMPLETED', input, output }))(fetch)(request)
    },
    readings: reads('queue.openai.answers', 'the output within another value', ['response']),
  }),
  latitude('workers-die-at-a-purge', 'Just before every second purge the workers of the endpoint die.', {
    about: 'jobs that are executed again',
    change: (base) => {
      let purges = 0
      return part('purgeJobs', (next, { jobs }, service) => {
        const isMeant = ({ status }: Job) => purges % 2 === 0 && status === 'IN_PROGRESS'
        for (const job of [...jobs.values()].filter(isMeant)) restartJob(job, service)
        purges++
        return next()
      })(base)
    },
  }),
  latitude('requests-name-old-jobs', 'The list of /requests goes on naming jobs whose ttl is over.', {
    change: (base) => {
      const old: string[] = []
      const remember = part('expireJob', (next, { id }) => {
        next()
        old.push(id)
      })
      const list = part('presentRequests', (next) => {
        const { requests } = next() as { readonly requests: readonly unknown[] }
        return { requests: [...requests, ...old.map((id) => ({ id, status: 'FAILED' }))] }
      })
      return list(remember(base))
    },
    readings: reads('queue.ttl.gone-everywhere', 'names it', ['/requests']),
  }),
]

/** So many partial results in a response of /stream. */
function inPages(size: number) {
  return part('presentStream', (next, job) => {
    const { partials } = job
    const drained = Math.min(job.drained + size, partials.length)
    const shown = next({ ...job, partials: partials.slice(0, drained) })
    job.drained = drained
    return drained < partials.length ? { ...shown, status: 'IN_PROGRESS' } : shown
  })
}
