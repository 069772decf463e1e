import { expect, it } from 'vitest'
import { statusOf } from '../harness/planes/queue/job-status.ts'
import type { Context } from '../harness/rule/context.ts'
import type { Judgement } from '../harness/run/judge.ts'
import { runOnRig } from '../harness/testing/rig.ts'
import { composeOptions, type ReferenceOptions } from '../reference/options.ts'
import { defaultTolerances } from '../target/tolerances.ts'
import { createConformanceWorker } from '../worker/conformance.ts'
import type { Call, Outcome, WorkerProgram } from '../worker/program.ts'
import { part } from './defects/tools.ts'
import { everything } from './jobs.ts'
import { judgeOn } from './judge.ts'
import { endpointsWith } from './latitudes/queue.ts'
import { latitude } from './latitudes/tools.ts'

// Where no worker ever reports to the receiver, no rule fails, advises or passes on the steps of a job that nobody followed.

const rules = everything().rules.filter(({ id }) => /^(queue|webhook)\.|^auth\.queue\./.test(id))

interface Situation {
  readonly says: string
  readonly options: () => Partial<ReferenceOptions>
  /** The rules that are judged all the same, besides `submissions`. */
  readonly judged: readonly string[]
  /** Of the rules that submit jobs, those that also need the end of one. */
  readonly notJudged?: readonly string[]
  /** The reason of the rules that wait for a report. */
  readonly reason: string
}

/** They submit jobs, and it does not matter what becomes of those. */
const submissions = [
  'queue.body.execution-timeout-outside',
  'queue.body.fuzz',
  'queue.body.input-missing',
  'queue.body.input-type',
  'queue.body.not-json',
  'queue.body.policy-types',
  'queue.body.s3config',
  'queue.body.ttl-bounds',
  'queue.body.ttl-outside',
  'queue.body.webhook',
  'queue.body.webhook-url',
  'queue.cancel.unknown',
  'queue.endpoint-unknown',
  'queue.health.numbers',
  'queue.health.shape',
  'queue.json',
  'queue.requests.answers',
  'queue.run.accepted',
  'queue.run.unique-ids',
  'queue.status.of-another-endpoint',
  'queue.status.unknown',
  'queue.status.unknown-404',
  'queue.stream.unknown',
  'queue.ttl.default',
  'queue.ttl.maximum',
  'queue.ttl.not-early',
]
/** They need any end of a job. */
const notifications = [
  'webhook.no-answer',
  'webhook.no-token',
  'webhook.only-200',
  'webhook.only-200-strict',
  'webhook.retries',
  'webhook.same-job',
  'webhook.silent',
  'webhook.spacing',
  'webhook.stops-on-success',
  'webhook.three',
]
/** They compare outputs. */
const outputs = [
  'queue.body.s3config-kept',
  'queue.openai.answers',
  'queue.run.echo',
  'queue.runsync.completed',
  'queue.status.completed-has-output',
  'queue.status.no-loss',
]
/** They need jobs that are COMPLETED, with any output. */
const completions = [
  'queue.runsync.then-status',
  'queue.status.order',
  'queue.ttl.completed',
  'queue.ttl.from-submission',
]
const noReport =
  'no worker reported to the receiver (are receiver.url and queue.worker of the target file right?); a job was'

const situations: Record<string, Situation> = {
  'cannot start': {
    says: 'The program of the workers cannot start, so each job is FAILED at once.',
    options: () => executing(() => ({ kind: 'failed', message: 'worker exited unexpectedly' })),
    judged: notifications,
    reason: `${noReport} FAILED with error "worker exited unexpectedly"`,
  },
  dies: {
    says: 'Each worker dies with its job.',
    options: () => executing(() => ({ kind: 'died' })),
    judged: notifications,
    reason: `${noReport} FAILED with error "the worker exited before the job was done"`,
  },
  'fails differently': {
    says: 'Each job is FAILED with another error.',
    options() {
      let count = 0
      return executing(() => ({ kind: 'failed', message: `error ${++count}` }))
    },
    judged: notifications,
    reason: `${noReport} FAILED with error "error N"`,
  },
  'receiver unreachable': {
    says: 'Workers do not reach the receiver.',
    options: () =>
      reachingOnly(async () => {
        throw new Error('connection refused')
      }),
    judged: notifications,
    reason: `${noReport} FAILED with error "the beacon cannot be reached: connection refused"`,
  },
  'another receiver': {
    says: 'Another server answers the reports of the workers.',
    options: () => reachingOnly(async () => Response.json({ n: 1 })),
    judged: [...notifications, ...completions, ...outputs],
    reason: `${noReport} COMPLETED`,
  },
  echo: {
    says: 'Another worker returns the whole input.',
    options: () => ({ worker: { execute: async ({ input }) => ({ kind: 'completed', output: input }) } }),
    judged: [...notifications, ...completions],
    reason: `${noReport} COMPLETED`,
  },
  'another output': {
    says: 'Another worker returns what the input does not have.',
    options: () => executing(() => ({ kind: 'completed', output: { tokens: 7 } })),
    judged: [...notifications, ...completions],
    reason: `${noReport} COMPLETED`,
  },
  'no worker': {
    says: 'Jobs stay IN_QUEUE.',
    options: () => ({ parts: { nextJob: () => () => null } }),
    judged: ['queue.runsync.wait-configured', 'queue.runsync.wait-length'],
    notJudged: ['queue.status.of-another-endpoint'],
    reason: 'no worker began with a job within 122 s',
  },
}

it.each(Object.entries(situations))('%s', async (id, { says, options, judged, notJudged = [], reason }) => {
  const change = (base: ReferenceOptions) => composeOptions(base, options())
  const judgements = await judgeOn({ variants: [{ id, says, change }], rules, asReal: true })
  const by = (...verdicts: readonly string[]) =>
    judgements.filter(({ verdict }) => verdicts.includes(verdict)).map(({ rule }) => rule)
  expect(by('failed', 'advice', 'broken').sort()).toEqual([])
  expect(by('passed', 'observed').sort()).toEqual(
    [...submissions, ...judged].filter((rule) => !notJudged.includes(rule)).sort(),
  )
  const reasons = Map.groupBy(judgements, (one) => one.reason?.replace(/error \d+/, 'error N'))
  const [[most] = []] = [...reasons].filter(([text]) => text != null).sort(([, a], [, b]) => b.length - a.length)
  expect(most).toBe(reason)
  // This does not say why.
  expect([...reasons.keys()].filter((text) => text?.startsWith('no job '))).toEqual([])
  expect(waiting(judgements)).toEqual([])
})

it.each(['cancelJob', 'purgeQueue'] as const)('%s of a waiting job shows nothing about workers', async (operation) => {
  const late = latitude('stopped-jobs-fail', 'A job is FAILED if it is cancelled or purged, and workers come late.', {
    style: { purgedJob: 'CANCELLED' },
    options: { endpoints: endpointsWith({ workersMin: 0, coldStartMs: 60_000 }) },
    change: part('finishJob', (next, job, status, result) =>
      next(job, status === 'CANCELLED' ? 'FAILED' : status, result),
    ),
  })
  const stops = async ({ check, fixture, found }: Context) => {
    const job = await fixture.submitted({ steps: [{ output: 1 }], endpoint: 'dedicated' })
    await job.queue.call(operation, { ids: { job: job.id } })
    const response = await found(job)
    check('failed').that(statusOf(response) === 'FAILED', 'FAILED', statusOf(response), response)
  }
  const scenarios = { first: { run: stops }, second: { run: stops }, begins: { run: begins } }
  const { judgements } = await runOnRig(scenarios, { variants: [late] })
  expect([...judgements.values()].map(({ verdict, reason }) => [verdict, reason])).toEqual(
    Array(3).fill(['passed', null]),
  )
})

/** A rule that waits for the report of a job. */
async function begins({ begun, check, fixture }: Context): Promise<void> {
  const job = await fixture.submitted({ steps: [{ output: 1 }] })
  check('begun').that((await begun(job)) !== null, 'a report', 'none', job.response)
}

/** Rules that waited as long as a worker may take, though the run knew that none reports. */
function waiting(judgements: readonly Judgement[]): readonly string[] {
  const { coldStartMs, dispatchMs } = defaultTolerances
  return judgements
    .filter(({ reason }) => reason?.startsWith('no worker reported'))
    .filter(({ startedMs, endedMs }) => (endedMs ?? 0) - (startedMs ?? 0) >= coldStartMs + dispatchMs)
    .map(({ rule }) => rule)
}

/** Workers that execute no step. */
function executing(outcome: () => Outcome): Partial<ReferenceOptions> {
  return { worker: { execute: async () => outcome() } }
}

/** The conformance worker, whose reports go elsewhere. */
function reachingOnly(call: Call): Partial<ReferenceOptions> {
  const { execute } = createConformanceWorker()
  const worker: WorkerProgram = { execute: (job, tools) => execute(job, { ...tools, call }) }
  return { worker }
}

it.each(['echo', 'another output', 'cannot start'])(
  '%s: without a receiver, failures ask for the worker',
  async (id) => {
    const change = (base: ReferenceOptions) => composeOptions(base, situations[id]?.options() ?? {})
    const judgements = await judgeOn({
      variants: [{ id, says: id, change, file: (target) => ({ ...target, receiver: null }) }],
      rules: rules.filter(({ id }) => ['queue.run.echo', 'queue.runsync.completed'].includes(id)),
    })
    expect(judgements.map(({ rule, verdict }) => ({ rule, verdict }))).toEqual([
      { rule: 'queue.run.echo', verdict: 'failed' },
      { rule: 'queue.runsync.completed', verdict: 'failed' },
    ])
    for (const { observed } of judgements.flatMap(({ findings }) => findings))
      expect(observed).toMatch(/ \(is the conformance worker deployed there, as queue\.worker says\?\)$/)
  },
)

it('a job that another worker has ended need not be cancelled', async () => {
  const style = { cancelFinished: 400 } as const
  const change = (base: ReferenceOptions) => composeOptions(base, { ...situations.echo?.options(), style })
  const [judgement] = await judgeOn({
    variants: [{ id: 'echo', says: 'Another worker; finished jobs cannot be cancelled.', change }],
    rules: rules.filter(({ id }) => id === 'queue.cancel.unknown'),
  })
  expect(judgement).toMatchObject({ verdict: 'inconclusive', reason: `${noReport} COMPLETED` })
})

it('a job that is FAILED late without a report ends the wait for one', async () => {
  const late = {
    ...situations['cannot start']?.options(),
    endpoints: endpointsWith({ workersMin: 0, coldStartMs: 20_000 }),
  }
  const change = (base: ReferenceOptions) => composeOptions(base, late)
  const variant = { id: 'late', says: 'Workers come late, and their program cannot start.', change }
  const { judgements } = await runOnRig({ begins: { run: begins } }, { variants: [variant] })
  const all = [...judgements.values()]
  expect(all).toMatchObject([{ verdict: 'inconclusive', reason: situations['cannot start']?.reason }])
  expect(waiting(all)).toEqual([])
})
