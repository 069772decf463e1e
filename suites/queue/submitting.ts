import { isSuccess } from '../../harness/exchange/exchange.ts'
import { validText } from '../../harness/planes/queue/fixtures/jobs.ts'
import { responseText } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { oneWorker } from '../shared/full-endpoint.ts'
import { blockedBy, validSubmission } from '../shared/job-responses.ts'
import type { Arrangement } from '../shared/table.ts'

type Submission = 'runJob' | 'runJobSync'

/** Submissions by /run and, with the worker, by /runsync. queue.body.no-job judges the effects of refused ones. */
export const submitting: Arrangement<Submission> = {
  operation: (submission) => submission,
  // Without the worker nobody knows how long /runsync would hold a valid submission.
  each: ({ part }) => (part('worker') ? ['runJob', 'runJobSync'] : ['runJob']),
  varies: [],
  options: { workers: oneWorker },
  async begin(context, submission) {
    const { fixture, queue } = context
    if (submission === 'runJob') await fixture.submitted()
    else await expectSyncAccepted(context)
    return {
      valid: async () => validSubmission(context),
      send: (body) => (submission === 'runJob' ? queue.run(body) : queue.runsync(body)),
      async expectNoEffect() {},
    }
  },
}

/** Shows that /runsync accepts a valid submission. */
export async function expectSyncAccepted(context: Context): Promise<void> {
  const { inconclusive, queue } = context
  const valid = validSubmission(context)
  for (let tries = 1; ; tries++) {
    const response = await queue.runsync(valid)
    if (isSuccess(response.status)) return
    if (response.status === 400) {
      const reason = `${validText(valid)} to endpoint ${response.exchange.endpoint} was answered by /runsync with ${responseText(response)}`
      blockedBy(context, 'queue.body.fuzz', reason, response)
    }
    // The response at the end of the wait is not described; by then a worker is starting.
    if (tries === 3)
      inconclusive(`/runsync answered ${response.status} to a valid submission, so a refusal proves nothing`)
  }
}
