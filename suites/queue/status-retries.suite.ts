import type { Reply } from '../../harness/client/reply.ts'
import type { Step, SubmittedJob } from '../../harness/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { plainEnd, shownStatus } from '../shared/job-answers.ts'

/** How the first execution of each job ends. */
const firsts: readonly { readonly what: string; readonly step: Step }[] = [
  { what: 'died', step: { exit: 1 } },
  { what: 'failed', step: { fail: 'once' } },
]

rule('queue.retry-automatic', { exclusive: ['dedicated'], varies: ['input', 'options', 'order'] }, async (context) => {
  const { fixture, check } = context
  const jobs = new Map<string, SubmittedJob>()
  for (const { what, step } of context.vary.ordered(firsts)) {
    const steps = [{ first: [step] }, { output: 'again' }]
    jobs.set(what, await fixture.submitted({ steps, endpoint: 'dedicated' }))
  }
  const ends = await lookUntilOneIsExecutedAgain(context, jobs)
  if (ends === null) return
  await plainEnd(context, 'COMPLETED', 'dedicated')
  const came = [...ends]
    .map(([what, reply]) => `${shownStatus(reply)} where the first one ${what}`)
    .sort()
    .join(', ')
  check('again').that(false, 'COMPLETED in a second execution', came, [...ends.values()][0] ?? null)
})

/** Null once a job is COMPLETED in a second execution; otherwise the last look at each when the time for retries is over. */
async function lookUntilOneIsExecutedAgain(
  { clock, check, found, target }: Context,
  jobs: ReadonlyMap<string, SubmittedJob>,
): Promise<ReadonlyMap<string, Reply> | null> {
  const { pollMs, retriesMs } = target.tolerances
  // A job that is FAILED may still be executed again unasked.
  const endMs = clock.now() + retriesMs
  for (let pauseMs = pollMs; ; pauseMs = Math.min(2 * pauseMs, 4 * pollMs)) {
    const shown = new Map<string, Reply>()
    for (const [what, job] of jobs) {
      const reply = await found(job)
      check('again').saw(reply)
      shown.set(what, reply)
      if (shownStatus(reply) === 'COMPLETED' && job.beacon.executions().length > 1) return null
    }
    if (clock.now() >= endMs) return shown
    await clock.sleep(Math.min(pauseMs, endMs - clock.now()))
  }
}
