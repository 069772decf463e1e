import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import type { Step, SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { endIn, finalStatuses, statusOf } from '../../harness/planes/queue/job-status.ts'
import { inconclusiveIfOutage } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { everyExchange, rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { completedTwin, expectEnd, expectWork, plainEnd } from '../shared/job-ends.ts'
import { blockedBy, laterJobReads, shownStatus, unfinished, whileWorkerMayReport } from '../shared/job-responses.ts'
import { kindOfValue } from '../shared/readers.ts'
import { jsonFlaws } from '../shared/shapes.ts'

/** Messages of handlers; a platform may quote one in a JSON text. */
const messages = [
  'no depth:\nnone was given',
  'größer als 漢字 🚀',
  'the file "a b.txt" is missing',
  `the depth ${'is too great '.repeat(24)}`,
]
/** Lengths of outputs: beyond 64 KB, 1 MB and a few MB platforms commonly store them elsewhere, cut or drop them. */
const sizes = [1_000, 70_000, 1_100_000, 2_500_000]

/** The body of a route below /openai, and of what is no operation, is not described. */
const ofOthers: ReadonlySet<string> = new Set(['callOpenaiRoute', 'otherQueueRoute'])

everyExchange('queue.json', (exchange) => (ofOthers.has(exchange.operation) ? null : jsonFlaws(exchange)))

/** The last steps of jobs, and their history. The one whose worker dies is last: if it is not executed again, the rule ends. */
const lasts = [
  { last: { output: 1 } },
  { last: { fail: 'no depth' } },
  { last: { output: 1 }, past: 'retried' },
  { last: { output: 1 }, past: 'requeued' },
] as const

rule('queue.status.only', { varies: anyJob }, async (context) => {
  const { begun, check, clock, fixture, follow, found } = context
  for (const { last, ...history } of lasts) {
    const job = await fixture.submitted({ steps: [{ emit: 'half' }, { hold: 'go' }, last], ...history })
    expectOnly(await found(job))
    await begun(job)
    for (const pauseMs of [0, 1_000]) {
      await clock.sleep(pauseMs)
      expectOnly(await found(job))
    }
    job.beacon.release('go')
    expectOnly((await follow(job, (status) => finalStatuses.has(status))).response)
  }

  function expectOnly(response: ApiResponse): void {
    const { error = null, output = null, status } = membersOf(response.json) ?? {}
    if (status !== 'COMPLETED') expectNone('output', output)
    if (status !== 'FAILED' && status !== 'TIMED_OUT') expectNone('error', error)

    function expectNone(member: string, value: unknown): void {
      check(member).that(value === null, `no ${member} while ${status}`, kindOfValue(value), response)
    }
  }
})

/** A text with the escapes of JSON that has only ASCII. */
function asciiOf(text: string): string {
  return text.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

rule('queue.status.failed-message', { varies: [...anyJob, 'past'] }, async (context) => {
  const { check, ended, fixture, target } = context
  for (const message of messages) {
    const job = await fixture.submitted({ steps: [{ fail: message }] })
    const end = await expectEnd(context, 'message', job, await ended(job, target.tolerances.retriesMs), 'FAILED')
    const error = end.job?.error
    const quoted = JSON.stringify(message).slice(1, -1)
    const holds = [message, quoted, asciiOf(quoted)].some((text) =>
      String(error).toLowerCase().includes(text.toLowerCase()),
    )
    if (!holds) await completedTwin(context)
    check('message').that(holds, 'an error that contains the message of the handler', kindOfValue(error), end.response)
  }
})

rule('queue.status.completed-has-output', { varies: ['execution', 'submission'] }, async (context) => {
  const { check, ended, fixture, notJudged, reading, target } = context
  const { retriesMs } = target.tolerances
  const statuses: string[] = []
  for (const bytes of sizes) {
    const job = await fixture.sent({ steps: [{ bytes }] })
    const end = endIn(job.response) ?? (await ended(job, retriesMs))
    if (!end.settled) await plainEnd(context, 'COMPLETED')
    const isEnded = end.settled && end.status !== 'gone'
    check('ends').that(isEnded, `an end within ${retriesMs / 1_000} s`, end.status, end.response)
    statuses.push(end.status)
    if (end.status !== 'COMPLETED') continue
    for (const shown of [end.response, (await ended(job, retriesMs)).response]) await expectWhole(bytes, shown)
  }
  reading('from the smallest output', statuses.join(', '))
  if (statuses.includes('COMPLETED')) return
  await completedTwin(context)
  notJudged('whole', 'no job was COMPLETED')

  async function expectWhole(bytes: number, response: ApiResponse): Promise<void> {
    inconclusiveIfOutage(response)
    const output = membersOf(response.json)?.output
    const isWhole = typeof output === 'string' && output.length === bytes
    const length = typeof output === 'string' ? `${output.length} characters` : kindOfValue(output)
    const wanted = `the output of ${bytes} characters, or another status`
    await expectWork(context, 'whole', isWhole, wanted, length, response)
  }
})

/** An end of a job that its worker ignores. */
interface Stop {
  readonly by: 'queue.cancel.running' | 'queue.execution-timeout.enforced' | 'queue.ttl.running'
  readonly policy?: Readonly<Record<string, number>>
  readonly afterMs: number
}

/** A ttl is over before a cold worker begins, so it is tried with longer ones. */
const stops: readonly (readonly Stop[])[] = [
  [{ by: 'queue.cancel.running', afterMs: 0 }],
  [{ by: 'queue.execution-timeout.enforced', policy: { executionTimeout: 6_000 }, afterMs: 6_000 }],
  [20_000, 120_000, 300_000].map((ttl) => ({ by: 'queue.ttl.running', policy: { ttl }, afterMs: ttl })),
]
/** The worker reports progress and then a result, both after the end. */
const late: readonly Step[] = [
  { first: [{ deaf: true }, { hold: 'progress' }, { emit: 'late' }, { hold: 'result' }, { output: 'late' }] },
]

rule<readonly Stop[]>(
  'queue.status.late-result',
  { each: () => stops, workers: stops.length, varies: ['input', 'options', 'execution'] },
  async (context, tried) => {
    const { clock, target } = context
    const { dispatchMs } = target.tolerances
    const { job, last } = await stoppedJob(context, tried)
    const executions = job.beacon.executions().length
    job.beacon.release('progress')
    await clock.until(job.beacon.waiting('result'), clock.now() + dispatchMs)
    await expectNotBack('progress', last, await job.queue.status(job.id))
    job.beacon.release('result')
    await clock.until(job.beacon.ended(), clock.now() + dispatchMs)
    await clock.sleep(dispatchMs)
    await expectNotBack('result', last, await job.queue.status(job.id))
    for await (const response of laterJobReads(context, job)) await expectNotBack('result', last, response)

    /** A platform may have executed the job once more, which is another reason to show it. */
    async function expectNotBack(clause: string, was: string, response: ApiResponse): Promise<void> {
      const status = statusOf(response) === 'gone' ? 'gone' : shownStatus(response)
      const isBack = unfinished.has(status) || status === 'COMPLETED' || (was === 'gone' && isSuccess(response.status))
      if (job.beacon.executions().length > executions)
        return context.notJudged(clause, 'the job was executed once more')
      context.check(clause).that(status === was || !isBack, `${was}, as before the late report`, status, response)
    }
  },
)

/** A job whose end its worker ignores, and the status after that end. */
async function stoppedJob(context: Context, tried: readonly Stop[]): Promise<{ job: SubmittedJob; last: string }> {
  const { clock, ended, fixture, follow, found, inconclusive, target } = context
  const { coldStartMs, dispatchMs, retriesMs, sweepMs } = target.tolerances
  for (const { afterMs, by, policy } of tried) {
    const job = await fixture.submitted({ steps: late, ...(policy && { policy }) })
    await found(job)
    const untilMs = by === 'queue.ttl.running' ? afterMs / 2 : coldStartMs + dispatchMs
    const wait = () => clock.until(job.beacon.started(), clock.now() + untilMs)
    if ((await whileWorkerMayReport(context, job, wait)) === null) continue
    if (by === 'queue.cancel.running') await job.queue.cancel(job.id)
    const isOver = (status: string) => !unfinished.has(status) || job.beacon.executions().length > 1
    const end = await follow(job, isOver, afterMs + sweepMs + dispatchMs)
    if (!end.settled) return blockedBy(context, by, `a job that was to be stopped is ${end.status}`, end.response)
    if (!unfinished.has(end.status)) return { job, last: end.status }
    // The platform executes the job once more: the end of that execution is its end.
    const again = await ended(job, retriesMs)
    return again.settled ? { job, last: again.status } : inconclusive('a job that was executed once more did not end')
  }
  return inconclusive('no worker began with a job in time')
}
