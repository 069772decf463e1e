import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess, jsonOf } from '../../harness/exchange/exchange.ts'
import { valueAt } from '../../harness/exchange/read.ts'
import type { SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { everyExchange, rule } from '../../harness/rule/registry.ts'
import type { EndpointRole } from '../../target/types.ts'
import { expectWaiting, fillEndpoint, fullEndpoint } from '../shared/full-endpoint.ts'
import { countAt, type JobCount, jobCounts, leavesOf, statisticsIn } from '../shared/health.ts'
import { expectEnd } from '../shared/job-ends.ts'
import { blockedBy } from '../shared/job-responses.ts'
import { poll } from '../shared/poll.ts'
import { kindOfValue } from '../shared/readers.ts'
import { joined, judged } from '../shared/shapes.ts'

/** Jobs whose worker dies, one after the other. */
const deadlyJobs = 2
/** Pause after which a time of whole seconds is another one, ms. */
const clockStepMs = 1_000

rule('queue.health.shape', {}, async ({ check, part, queue, target }) => {
  const roles: EndpointRole[] = ['normal']
  if (part('endpoint.scale-to-zero')) roles.push('scaleToZero')
  if (part('endpoint.dedicated')) roles.push('dedicated')
  for (const role of roles) {
    const response = await queue.on(role).health()
    check('answered').success(response)
    const body = check('body').object(response)
    const health = target.queue?.health
    if (health === undefined) continue
    const { workers, ...jobs } = health
    const isCounted = jobCounts.some((name) => countAt(body, name, health) !== undefined)
    expectShown('jobs', isCounted, Object.values(jobs))
    expectShown('workers', valueAt(body, workers) !== undefined, [workers])

    function expectShown(clause: string, isShown: boolean, paths: readonly string[]): void {
      const wanted = `statistics at ${paths.join(', ')}, by queue.health of the target file`
      check(clause).that(isShown, wanted, 'none', response)
    }
  }
})

everyExchange('queue.health.numbers', ({ operation, response }, { queue }) => {
  if (operation !== 'getEndpointHealth' || queue === null || !isSuccess(response?.status ?? 0)) return null
  const statistics = [...statisticsIn(jsonOf(response?.body ?? new Uint8Array()), queue.health)]
  if (statistics.length === 0) return null
  return joined(
    statistics.map(([place, value]) => {
      const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0
      return judged('counts', isCount, `${place}: a whole number from 0`, `${place}: ${kindOfValue(value)}`)
    }),
  )
})

rule('queue.health.moves', { exclusive: ['twoWorkers', 'second'], varies: ['input', 'options'] }, async (context) => {
  const { begun, check, clock, ended, fixture, inconclusive, notJudged, part, target } = context
  const endpoint = 'twoWorkers'
  const before = await counted(context, endpoint, (now) => now.inQueue === 0 && now.inProgress === 0)
  if (!before.isAsWanted) inconclusive('/health counts jobs of others, or none')
  const { held: running, release } = await fullEndpoint(context)
  await expectCount('running', 'inProgress', running.length)
  const waiting = await fixture.submitted({ steps: [{ output: 1 }], endpoint })
  await expectWaiting(context, waiting)
  await expectCount('waiting', 'inQueue', 1)
  const policy = { lowPriority: true }
  const cancelled = await fixture.submitted({ steps: [{ output: 1 }], endpoint, policy })
  await expectWaiting(context, cancelled)
  await expectCount('waiting', 'inQueue', 2)
  // Other rules judge whether it can be cancelled.
  const { status } = await cancelled.queue.cancel(cancelled.id)
  if (isSuccess(status)) await expectCount('cancelled', 'inQueue', 1)
  else notJudged('cancelled', `/cancel was answered ${status}`)
  // A job of /runsync: it waits now, and runs once the others have ended.
  const held = fixture.job({ steps: [{ hold: 'go' }, { output: 1 }], endpoint })
  const answer = held.queue.held.runsync(held.body)
  const isAnswered = async (withinMs = 0) => (await clock.until(answer, clock.now() + withinMs)) !== null
  if (!(await isAnswered(target.tolerances.dispatchMs)))
    await expectCount('waiting', 'inQueue', isSuccess(status) ? 2 : 3, isAnswered)
  if (part('endpoint.second')) {
    const others = await counted(
      context,
      'second',
      (now) => Number(now.inQueue) + Number(now.inProgress) <= running.length,
    )
    check('apart').that(others.isAsWanted, 'the jobs of this endpoint alone', textOf(others.now), others.response)
  }
  release()
  for (const job of [...running, waiting]) await expectEnd(context, 'completed', job, await ended(job), 'COMPLETED')
  const isRun = !(await isAnswered())
  if (isRun) await begun(held)
  if (isRun) await expectCount('running', 'inProgress', 1, isAnswered)
  else notJudged('runsync', '/runsync was answered while its job was to wait')
  held.beacon.release('go')
  await clock.until(answer, clock.now() + target.tolerances.dispatchMs)
  // By now the cancelled job may have been counted as failed.
  const { now: beforeFailure } = await counted(context, endpoint, () => true)
  const steps = [{ first: [{ fail: 'no depth' }] }, { hold: 'again' }, { output: 1 }]
  const failing = await fixture.submitted({ steps, repeatsFirst: true, endpoint })
  const synchronous = await fixture.finished({ steps: [{ output: 1 }], endpoint }, 'runsync')
  await expectEnd(context, 'completed', synchronous.job, synchronous.end, 'COMPLETED')
  // Before the retries of the other job: a count of kept jobs loses one of /runsync after a minute.
  await expectMore('completed', before.now, running.length + (isRun ? 3 : 2))
  await expectEnd(context, 'failed', failing, await ended(failing, target.tolerances.retriesMs), 'FAILED')
  await expectMore('failed', beforeFailure, 1)
  failing.beacon.repeatFirst(false)
  const again = failing.beacon.started(failing.beacon.executions().length + 1)
  // Other rules judge whether it is executed again.
  await failing.queue.retry(failing.id)
  const isAgain = (await clock.until(again, clock.now() + target.tolerances.retriesMs)) !== null
  if (isAgain) await expectCount('retried', 'inProgress', 1)
  else notJudged('retried', 'a job that failed was not executed again by /retry')
  failing.beacon.release('again')
  await expectCount('running', 'inProgress', 0)
  await expectCount('waiting', 'inQueue', 0)

  /** Counts of jobs may lag. One of unfinished jobs has no others. `isOver`: whether one of them may be gone by now. */
  async function expectCount(
    clause: string,
    name: JobCount,
    wanted: number,
    isOver = async () => false,
  ): Promise<void> {
    const { isAsWanted, now, response } = await counted(context, endpoint, (now) => now[name] === wanted)
    if (!isAsWanted && (await isOver())) return notJudged('runsync', '/runsync was answered before its job was counted')
    check(clause).that(isAsWanted, `${name} ${wanted}`, kindOfValue(now[name]), response)
  }

  /** A count of finished jobs may include others. */
  async function expectMore(name: 'completed' | 'failed', earlier: Counts, more: number): Promise<void> {
    const moreIn = (now: Counts) => Number(now[name]) - Number(earlier[name])
    const { isAsWanted, now, response } = await counted(context, endpoint, (now) => moreIn(now) >= more)
    const observed = typeof now[name] === 'number' ? `${moreIn(now)} more` : kindOfValue(now[name])
    check(name).that(isAsWanted, `${name} ${more} more`, observed, response)
  }
})

rule(
  'queue.health.settles',
  { exclusive: ['dedicated'], workers: 0, varies: ['input', 'options'] },
  async (context) => {
    const { begun, check, ended, fixture, found, inconclusive, notJudged, queue, target } = context
    const endpoint = 'dedicated'
    const before = await counted(context, endpoint, (now) => unfinishedIn(now) === 0)
    if (Number.isNaN(unfinishedIn(before.now))) inconclusive('/health does not count waiting and running jobs')
    const { release } = await fillEndpoint(context, endpoint)
    // Other rules judge what a purge, /cancel and the death of a worker do.
    await queue.on(endpoint).purge()
    release()
    // A job that is submitted may bring counts up to date.
    await expectSettled()
    const cancelled = await fixture.submitted({ steps: [{ hold: 'never' }], endpoint })
    await begun(cancelled)
    await found(cancelled)
    const response = await cancelled.queue.cancel(cancelled.id)
    if (!isSuccess(response.status))
      blockedBy(context, 'queue.cancel.running', `/cancel was answered ${response.status}`, response)
    await ended(cancelled)
    const earlier = await counted(context, endpoint, () => true)
    const dying = await fixture.submitted({ steps: [{ first: [{ exit: 1 }] }, { output: 1 }], endpoint })
    const { settled, status } = await ended(dying, target.tolerances.retriesMs)
    if (!settled) inconclusive('a job whose worker died was not executed again in time')
    const name = ({ COMPLETED: 'completed', FAILED: 'failed' } as const)[status]
    const former = name && earlier.now[name]
    if (name === undefined || typeof former !== 'number') {
      notJudged('ended', `/health counts no job that is ${status}`)
    } else {
      const end = await counted(context, endpoint, (now) => Number(now[name]) > former)
      const isShown = valueAt(end.response.json, target.queue?.health[name] ?? '') !== undefined
      if (isShown) check('ended').that(end.isAsWanted, `more ${name} than before`, `as many ${name}`, end.response)
      else notJudged('ended', `/health counts no job that is ${status}`)
    }
    await expectSettled()

    async function expectSettled(): Promise<void> {
      const after = await counted(context, endpoint, (now) => unfinishedIn(now) <= unfinishedIn(before.now))
      check('settled').that(after.isAsWanted, textOf(before.now), textOf(after.now), after.response)
    }
  },
)

rule('queue.status.crash-visible', { exclusive: ['dedicated'], varies: ['input'] }, async (context) => {
  const { begun, check, clock, ended, fixture, found, queue, target } = context
  const seen = new Map<string, Set<unknown>>()
  let healthyLooks = 0
  const shown: string[] = []
  let last = await note('healthy')
  await clock.sleep(clockStepMs)
  const healthy = await fixture.submitted({ steps: [{ hold: 'go' }, { output: 1 }], endpoint: 'dedicated' })
  await begun(healthy)
  await note('healthy')
  await clock.sleep(clockStepMs)
  healthy.beacon.release('go')
  await expectEnd(context, 'visible', healthy, await ended(healthy), 'COMPLETED')
  for (let n = 0; n < deadlyJobs; n++) {
    await clock.sleep(clockStepMs)
    await note('healthy')
    const job = await fixture.submitted({ steps: [{ exit: 1 }], endpoint: 'dedicated' })
    await begun(job)
    await found(job)
    await untilShown(job)
  }
  check('visible').that(shown.length > 0, 'a statistic that shows the deaths of workers', 'none', last)

  /** Reads /health until it shows something, or the job has ended and its counters have had time to follow. */
  async function untilShown(job: SubmittedJob): Promise<void> {
    const { dispatchMs, retriesMs, visibleMs } = target.tolerances
    const isShown = () => shown.length > 0
    let isOver = false
    const look = async () => {
      last = await note('dying')
      isOver = (await ended(job, 0)).settled
      return isOver
    }
    await poll(context, retriesMs, look, (over) => over || isShown())
    await poll(context, visibleMs + dispatchMs, () => note('dying'), isShown)
    if (!isOver) await job.queue.cancel(job.id)
  }

  /**
   * Notes the numbers of /health; those of dying workers are compared with all that healthy ones have shown. One that
   * differed each time is a time.
   */
  async function note(phase: 'healthy' | 'dying'): Promise<ApiResponse> {
    const response = await queue.on('dedicated').health()
    check('visible').success(response)
    if (phase === 'healthy') healthyLooks++
    const finished = new Set<string>(jobCounts.map((name) => target.queue?.health[name] ?? ''))
    for (const [place, value] of leavesOf('', response.json)) {
      if (finished.has(place)) continue
      const known = seen.get(place) ?? new Set()
      if (phase === 'healthy') seen.set(place, known.add(value))
      else if (!known.has(value) && known.size < healthyLooks) shown.push(place)
    }
    return response
  }
})

type Counts = Readonly<Record<JobCount, unknown>>

/** The counts of jobs in a response; ends the rule as broken if it is not a success. */
function countsIn({ check, target }: Context, role: EndpointRole, response: ApiResponse): Counts {
  check(role === 'dedicated' ? 'settled' : 'running').success(response)
  const health = target.queue?.health
  return Object.fromEntries(
    jobCounts.map((name) => [name, health && countAt(response.json, name, health)]),
  ) as unknown as Counts
}

/** The counts of jobs of an endpoint, once they are as wanted or have had time to be. */
async function counted(context: Context, role: EndpointRole, isWanted: (now: Counts) => boolean) {
  const { dispatchMs, visibleMs } = context.target.tolerances
  const look = async () => {
    const response = await context.queue.on(role).health()
    const now = countsIn(context, role, response)
    return { now, response, isAsWanted: isWanted(now) }
  }
  return poll(context, visibleMs + dispatchMs, look, ({ isAsWanted }) => isAsWanted)
}

function unfinishedIn({ inProgress, inQueue }: Counts): number {
  return Number(inProgress) + Number(inQueue)
}

function textOf({ inProgress, inQueue }: Counts): string {
  return `inProgress ${kindOfValue(inProgress)}, inQueue ${kindOfValue(inQueue)}`
}
