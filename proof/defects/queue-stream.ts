import { isFinished, type Job } from '../../reference/queue/model.ts'
import type { QueueService } from '../../reference/queue/service.ts'
import type { Defect } from '../types.ts'
import { asks } from './queue-tools.ts'
import { all, type Change, defect, type Json, onJson, options, part, type Wrap } from './tools.ts'

/** A call that waits when the job ends is kept open for ten minutes. */
const keptOpen = all(
  options({ life: { streamHoldMs: 600_000 } }),
  part('endsStream', () => false),
)

/** A reader goes on in the next execution where it was. */
const keepsPlace = part('requeueJob', (next, job) => {
  const { drained } = job
  next()
  job.drained = drained
})

/** Streams that lose, repeat or delay partial results, or do not say when they are over. */
export const queueStream: readonly Defect[] = [
  ...(
    [
      ['stream-without-list', 'queue.stream.incremental'],
      ['stream-without-list-after-death', 'queue.stream.worker-died'],
    ] as const
  ).map(([id, rule]) =>
    defect(id, rule, 'answered', {
      says: 'The responses of /stream have no list.',
      observed:
        '/stream was answered 200 and has no array at stream; queue.stream.at of the target file names its place',
      wrap: onJson(
        (request, { status }) => status === 200 && asks('stream')(request),
        ({ stream: _, ...json }) => json,
      ),
    }),
  ),
  defect('stream-at-the-end', 'queue.stream.incremental', 'in-time', {
    says: 'The operation /stream shows nothing until the job is done.',
    observed: 'nothing at $[0]',
    change: part('presentStream', (next, job) => (isFinished(job) ? next() : { status: job.status, stream: [] })),
  }),
  defect('stream-second-part-lost', 'queue.stream.incremental', 'parts', {
    says: 'The second partial result of a job is lost.',
    observed: '"same" at $[1]',
    change: adding((add, n) => {
      if (n !== 2) add()
    }),
  }),
  defect('stream-repeats-parts', 'queue.stream.incremental', 'parts', {
    says: 'Each response of /stream repeats the result before.',
    observed: 'nothing at $[1].depth',
    change: options({ style: { streamForm: 'cumulative' } }),
  }),
  defect('stream-second-part-third', 'queue.stream.incremental', 'parts', {
    says: 'The second partial result of a job comes after the third.',
    observed: '"same" at $[1]',
    change: (base) => {
      let second = () => {}
      return adding((add, n) => {
        if (n === 2) second = add
        else add()
        if (n === 3) second()
      })(base)
    },
  }),
  defect('stream-read-late-reversed', 'queue.stream.incremental', 'late', {
    says: 'A stream that is read after its job is done has the last partial result first.',
    observed: 'nothing at $[0].first',
    change: streams(({ stream }, job) => (isFinished(job) ? { stream: stream.toReversed() } : {})),
  }),
  defect('stream-equal-parts-dropped', 'queue.stream.incremental', 'parts', {
    says: 'A partial result that equals the one before is dropped.',
    observed: '{"last":1} at $[3]',
    change: part('addPartial', (next, job, partial) => {
      if (partial !== job.partials.at(-1)) next()
    }),
  }),
  defect('stream-empty-parts-dropped', 'queue.stream.incremental', 'parts', {
    says: 'A partial result that is empty is dropped.',
    observed: '"{\\"a\\":1}\\n" at $[7]',
    variation: { output: 'empty text' },
    change: part('addPartial', (next, _, partial) => {
      if (partial !== '') next()
    }),
  }),
  defect('stream-large-parts-cut', 'queue.stream.incremental', 'parts', {
    says: 'A partial result of more than 10,000 characters is null.',
    observed: 'null at $[12]',
    variation: { output: 'large' },
    change: part('addPartial', (next, job, partial) =>
      next(job, JSON.stringify(partial).length > 10_000 ? null : partial),
    ),
  }),
  defect('stream-over-with-worker', 'queue.stream.worker-died', 'parts', {
    says: 'Partial results of a job whose worker died are dropped.',
    observed: 'nothing at $[0]',
    change: part('addPartial', (next, { automaticRetries }) => {
      if (automaticRetries === 0) next()
    }),
  }),
  defect('stream-goes-on-after-death', 'queue.stream.worker-died', 'parts', {
    says: 'The stream of a job whose worker died begins after as many partial results as were read before.',
    observed: '3 at $[0]',
    change: keepsPlace,
  }),
  defect('stream-of-retried-job-from-the-second', 'queue.stream.incremental', 'again', {
    says: 'The first partial result of a job that was retried is lost.',
    observed: '2 at $[0]',
    change: part('addPartial', (next, job) => {
      if (job.retries > 0 && job.partials.length === 0) job.drained = 1
      next()
    }),
  }),
  defect('stream-keeps-hundred', 'queue.stream.incremental', 'late', {
    says: 'The hundred and first partial result of a job, and all after it, are dropped.',
    observed: 'nothing at $[100]',
    change: part('addPartial', (next, { partials }) => {
      if (partials.length < 100) next()
    }),
  }),
  defect('stream-goes-on-after-retry', 'queue.stream.incremental', 'again', {
    says: 'The stream of a job that was retried begins after as many partial results as were read before.',
    observed: '3 at $[0]',
    change: keepsPlace,
  }),
  defect('stream-forgotten-at-the-end', 'queue.stream.incremental', 'late', {
    says: 'Partial results that were not read before the job is done are lost.',
    observed: 'nothing at $[0]',
    change: part('finishJob', (next, job) => {
      next()
      job.drained = job.partials.length
    }),
  }),
  defect('stream-lost-between-readers', 'queue.stream.incremental', 'two-readers', {
    says: 'Once two calls of /stream have waited for a job, its partial results are lost.',
    observed: 'parts ',
    wrap: forTwoReaders(() => []),
  }),
  defect('stream-doubled-for-two-readers', 'queue.stream.incremental', 'two-readers', {
    says: 'Once two calls of /stream have waited for a job, each partial result comes twice.',
    observed: 'parts out of order, or one twice',
    wrap: forTwoReaders((stream) => stream.flatMap((one) => [one, one])),
  }),
  ...(['queue.stream.ends', 'queue.stream.cancelled'] as const).flatMap((rule) => {
    const event = rule === 'queue.stream.ends' ? 'end' : 'cancellation'
    return [
      defect(`stream-open-after-${event}`, rule, 'answered', {
        says: `A call of /stream that waits at the ${event} of the job is not answered.`,
        observed: 'no response',
        change: keptOpen,
      }),
      defect(`stream-over-before-${event}`, rule, 'not-before', {
        says: `The stream of a job is COMPLETED before its ${event}.`,
        observed: 'COMPLETED',
        change: streams(() => ({ status: 'COMPLETED' })),
      }),
      defect(`stream-on-after-${event}`, rule, 'ended', {
        says: `The stream of a job is IN_PROGRESS after its ${event}.`,
        observed: 'IN_PROGRESS',
        change: streams(() => ({ status: 'IN_PROGRESS' })),
      }),
      defect(`stream-on-a-minute-after-${event}`, rule, 'stays-ended', {
        says: `The stream of a job is IN_PROGRESS again a minute after its ${event}.`,
        observed: 'IN_PROGRESS',
        change: streams((_, { finishedMs }, { clock }) =>
          finishedMs !== null && clock.now() > finishedMs + 60_000 ? { status: 'IN_PROGRESS' } : {},
        ),
      }),
    ]
  }),
  defect('unread-stream-on-after-cancellation', 'queue.stream.cancelled', 'ended', {
    says: 'The stream of a cancelled job is IN_PROGRESS if nobody had read it.',
    observed: 'IN_PROGRESS',
    change: part('presentStream', (next, { drained, status }) =>
      status === 'CANCELLED' && drained === 0 ? { status: 'IN_PROGRESS', stream: [] } : next(),
    ),
  }),
  defect('stream-drops-last-part', 'queue.stream.ends', 'complete', {
    says: 'The stream of a job ends without its last partial result.',
    observed: 'nothing at $[1]',
    change: streams(({ stream }, { partials }) => (partials.length > 1 ? { stream: stream.slice(0, -1) } : {})),
  }),
]

interface Shown {
  readonly status: string
  readonly stream: readonly unknown[]
}

/** The responses of /stream get other members. */
function streams(change: (shown: Shown, job: Job, service: QueueService) => Partial<Shown>): Change {
  return part('presentStream', (next, job, service) => {
    const before = { ...job }
    const shown = next() as Json & Shown
    return { ...shown, ...change(shown, before, service) }
  })
}

/** Partial results are added in another way; `add` adds the n-th of a job. */
function adding(how: (add: () => void, n: number) => void): Change {
  const counts = new WeakMap<Job, number>()
  return part('addPartial', (next, job) => {
    const n = (counts.get(job) ?? 0) + 1
    counts.set(job, n)
    how(next, n)
  })
}

/** Once two calls of /stream have waited for a job at once, its partial results change. */
function forTwoReaders(change: (stream: readonly unknown[]) => readonly unknown[]): Wrap {
  return (fetch) => {
    const open = new Map<string, number>()
    const shared = new Set<string>()
    return async (request) => {
      if (!asks('stream')(request)) return fetch(request)
      const { url } = request
      open.set(url, (open.get(url) ?? 0) + 1)
      if (open.get(url) === 2) shared.add(url)
      const response = await fetch(request)
      open.set(url, (open.get(url) ?? 0) - 1)
      if (!shared.has(url) || !response.ok) return response
      const shown = (await response.json()) as Shown
      return Response.json({ ...shown, stream: change(shown.stream) })
    }
  }
}
