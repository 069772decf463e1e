import type { ApiResponse } from '../../harness/client/api-response.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { type Members, membersOf, textIn } from '../../harness/exchange/read.ts'
import type { SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import type { Arrival } from '../../harness/receiver/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { blockedIfGone, endOf, submitTo } from '../shared/endpoint-jobs.ts'
import {
  createdEndpoint,
  expectUpdatable,
  isQuotaUsed,
  retryWhileQuotaIsUsed,
  sectionOf,
  update,
  workersOf,
} from '../shared/endpoints.ts'
import { poll, untilFound } from '../shared/poll.ts'
import { expectRefusal } from '../shared/refusal.ts'

/** How long a worker that must not start is waited for, ms. */
const spareMs = 10_000

rule<'next' | 'first'>(
  'endpoints.gpu-priority',
  { each: ({ part }) => (part('gpu.several') ? ['next', 'first'] : ['next']), creates: 2 },
  async (context, branch) => {
    const { check, ended, inconclusive, on } = context
    const { gpus, gpuUnavailable } = sectionOf(context)
    const [one = '', two = ''] = gpus
    if (branch === 'next')
      return two === '' ? expectGpu(one, [gpuUnavailable, one]) : expectGpu(two, [gpuUnavailable, two, one])
    // Some order of the names agrees with one of the two.
    await expectGpu(two, [two, one])
    await expectGpu(one, [one, two])

    async function expectGpu(expected: string, gpuTypeIds: readonly (string | null)[]): Promise<void> {
      const { response, seen } = await gpuAmong(gpuTypeIds)
      if (seen === gpuUnavailable && branch === 'next')
        inconclusive(`management.gpuUnavailable is available: a worker has ${seen}`)
      if (seen !== expected) {
        await expectAvailable(expected)
        if ((await gpuAmong(gpuTypeIds)).seen === expected)
          inconclusive(`${expected} may not have been available: ${seen} at first, and ${expected} later`)
      }
      check(branch).that(seen === expected, expected, seen, response)
    }

    /** The GPU of a worker of a new endpoint with these types, which is deleted. */
    async function gpuAmong(gpuTypeIds: readonly (string | null)[]) {
      const job = await jobOn(gpuTypeIds)
      const { response, settled } = await ended(job)
      await on('management').call('deleteEndpoint', { ids: { id: job.queue.endpoint }, repeats: true })
      return { response, seen: settled ? gpuIn(response) : 'no worker' }
    }

    /** A worker of the type alone shows that it is available, and how it is named. */
    async function expectAvailable(expected: string): Promise<void> {
      const alone = gpuIn((await endOf(context, await jobOn([expected]))).response)
      if (!gpus.includes(alone)) inconclusive(`a worker reports the GPU ${alone}, which is none of management.gpus`)
    }

    async function jobOn(gpuTypeIds: readonly (string | null)[]): Promise<SubmittedJob> {
      const { id } = await createdEndpoint(context, { gpuTypeIds })
      const job = await submitTo(context, id, { steps: [{ report: ['gpu'] }] })
      const shown = await untilFound(context, () => job.queue.status(job.id))
      if (!isSuccess(shown.status)) await blockedIfGone(context, id, shown)
      return job
    }
  },
)

rule('endpoints.workers-min', { creates: 2, varies: ['upkeep'] }, async (context) => {
  const { clock, part, target } = context
  const workers = workersOf(context, 2)
  const { id } = await createdEndpoint(context, { workersMin: workers, workersMax: workers })
  await expectReady(context, id, workers, ['minimum', 'without any job'])
  await clock.sleep(idleMs(context) + target.tolerances.sweepMs)
  await expectReady(context, id, workers, ['stays', 'after the idleTimeout'])
  if (part('receiver')) await expectAtMost(context, id, 'maximum', workers)
})

rule('endpoints.update-workers', { creates: 2 }, async (context) => {
  const { clock, on, part, target } = context
  const { id } = await createdEndpoint(context)
  const workers = workersOf(context, 2)
  await updateTo({ workersMin: workers, workersMax: workers })
  await expectReady(context, id, workers, ['minimum', 'after the update'])
  const above = { ids: { id }, body: { workersMin: workers + 1, workersMax: workers }, mustBeRefused: true }
  expectRefusal(context, 'above-maximum', await on('management').call('updateEndpoint', above))
  if (!part('receiver')) return
  await expectAtMost(context, id, 'maximum', workers)
  await updateTo({ workersMin: 0, workersMax: 1 })
  await clock.sleep(idleMs(context) + target.tolerances.sweepMs)
  await expectAtMost(context, id, 'lowered', 1)
  await updateTo({ workersMin: 1, workersMax: workers })
  await expectAtMost(context, id, 'maximum', workers, 1)
  await clock.sleep(idleMs(context) + target.tolerances.sweepMs)
  await expectReady(context, id, 1, ['stays', 'after the idleTimeout'])

  async function updateTo(body: Members): Promise<void> {
    const response = await retryWhileQuotaIsUsed(context, () => update(context, id, body), isQuotaUsed)
    const smaller = { workersMin: 1, workersMax: 2 }
    if (!isSuccess(response.status)) await expectUpdatable(context, id, 'accepted', response, smaller)
  }
})

/** Twice as many jobs as workers are executed by no more than that at once, and by `least` soon. */
async function expectAtMost(context: Context, id: string, clause: string, most: number, least = most): Promise<void> {
  const jobs = await heldJobs(context, id, 2 * most, least)
  await context.clock.sleep(spareMs)
  const running = jobs.filter(({ beacon }) => beacon.executions().length > 0).length
  const { response } = await readyWorkers(context, id)
  const [expected, observed] = [most, running].map((count) => `${pluralize(count, 'execution')} at once`)
  context.check(clause).that(running <= most, expected ?? '', observed ?? '', response)
  await release(context, jobs)
}

/**
 * Jobs that wait in their workers, or for one. The others are submitted once the first few have begun: a platform may execute the
 * newest job first.
 */
async function heldJobs(context: Context, id: string, count: number, first: number): Promise<readonly SubmittedJob[]> {
  const held: SubmittedJob[] = []
  const submit = async () => held.push(await submitTo(context, id, { steps: [{ hold: 'go' }] }))
  while (held.length < first) await submit()
  for (const job of held) await context.begun(job)
  while (held.length < count) await submit()
  return held
}

async function release(context: Context, held: readonly SubmittedJob[]): Promise<void> {
  for (const { beacon } of held) beacon.release('go')
  for (const job of held) await endOf(context, job)
}

/** So many workers, one or two, are ready. If they come only with jobs, there is capacity. */
async function expectReady(
  context: Context,
  id: string,
  workers: number,
  [clause, when]: readonly [clause: string, when: string],
): Promise<void> {
  const { check, inconclusive, part, target } = context
  const look = () => readyWorkers(context, id)
  const seen = await poll(context, target.tolerances.coldStartMs, look, ({ ready }) => ready >= workers)
  if (seen.ready === 0) await endOf(context, await submitTo(context, id))
  else if (seen.ready < workers && part('receiver')) await release(context, await heldJobs(context, id, 2, 2))
  else if (seen.ready < workers)
    inconclusive('one of 2 workers is ready; only a receiver shows if there is capacity for both')
  const expected = `${pluralize(workers, 'worker')} ${when}`
  check(clause).that(seen.ready >= workers, expected, pluralize(seen.ready, 'worker'), seen.response)
}

rule('endpoints.idle-timeout', { varies: ['upkeep'] }, async (context) => {
  const { check, clock, reading, target } = context
  const { dispatchMs, sweepMs } = target.tolerances
  const { id } = await createdEndpoint(context)
  const first = await executed(context, id)
  // A worker that leaves at once needs a moment for it.
  await clock.sleep(idleMs(context) / 50)
  const soon = await executed(context, id)
  reading('before the idleTimeout', nameOf(first, soon))
  await clock.sleep(idleMs(context) + sweepMs + dispatchMs)
  reading('after the idleTimeout', nameOf(first, await executed(context, id)))

  /** The worker of a job that is executed at once. */
  async function executed(of: Context, at: string): Promise<unknown> {
    const job = await submitTo(of, at, { steps: [{ output: 1 }] })
    const start = await of.begun(job)
    const { response, settled, status } = await of.ended(job)
    check('executed').that(settled && status === 'COMPLETED', 'COMPLETED', status, response)
    return workerOf(start)
  }
})

/** The idleTimeout of new endpoints, ms. */
function idleMs(context: Context): number {
  return sectionOf(context).idleTimeout * 1_000
}

/** The id of the GPU that a worker reports; `no GPU` if it has none. */
function gpuIn({ json }: ApiResponse): string {
  const output = membersOf(membersOf(json)?.output)
  return textIn(membersOf(output?.gpu)?.id ?? 'no GPU')
}

function nameOf(first: unknown, other: unknown): string {
  return first === other ? 'the same worker' : 'another worker'
}

function workerOf({ request }: Arrival): unknown {
  return JSON.parse(new TextDecoder().decode(request.body ?? new Uint8Array())).worker
}

/** Statistics of workers that execute no jobs, by the names that many services give them. */
const notReady = ['initializing', 'throttled', 'unhealthy']

/** The workers that /health shows as ready for a job or at work. Ends the rule as inconclusive if it shows no numbers. */
async function readyWorkers(
  context: Context,
  id: string,
): Promise<{ readonly ready: number; readonly response: ApiResponse }> {
  const { inconclusive, queue, target } = context
  const response = await queue.at(id).health()
  const place = target.queue?.health.workers ?? ''
  const value = place.split('.').reduce<unknown>((at, step) => membersOf(at)?.[step], response.json)
  const members = membersOf(value)
  const { idle, ready, running } = members ?? {}
  // Encoders may leave a zero out.
  const isBare = Object.keys(members ?? { none: 0 }).every((name) => notReady.includes(name))
  const shown = [idle, running].filter((one) => one !== undefined)
  const counts = typeof value === 'number' ? [value] : typeof ready === 'number' ? [ready] : isBare ? [0] : shown
  if (response.status === 404) return { ready: 0, response }
  if (counts.length === 0 || !counts.every((one) => typeof one === 'number')) {
    return inconclusive(`/health was answered ${response.status} without the number of workers`)
  }
  return { ready: counts.reduce<number>((sum, one) => sum + Number(one), 0), response }
}
