import { mutate } from '../../harness/common/mutate.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import type { QueueClient } from '../../harness/planes/queue/client.ts'
import { rule } from '../../harness/rule/registry.ts'
import { validSubmission } from '../shared/job-answers.ts'

rule('queue.endpoint-unknown', { varies: ['input', 'options', 'order'] }, async (context) => {
  const { queue, check, fixture, found, inconclusive, part } = context
  const valid = validSubmission(context)
  const submitted = await fixture.submitted()
  await found(submitted)
  const { id: job } = submitted
  const health = await queue.health()
  const nowhere = queue.at(mutate(queue.endpoint))
  const offered = (need: string, call: (client: QueueClient) => ReturnType<QueueClient['health']>) =>
    part(need) ? [call] : []
  const calls = [
    ...(isSuccess(health.status) ? [(client: QueueClient) => client.health()] : []),
    (client: QueueClient) => client.status(job),
    (client: QueueClient) => client.run(valid),
    (client: QueueClient) => client.runsync(valid),
    (client: QueueClient) => client.cancel(job),
    (client: QueueClient) => client.retry(job),
    ...offered('stream', (client) => client.stream(job)),
    ...offered('requests', (client) => client.requests()),
    ...offered('openai', (client) => client.openai('/v1/chat/completions', { messages: [] })),
  ]
  let isFormRefused = false
  for (const call of context.vary.ordered(calls)) {
    const reply = await call(nowhere)
    // No endpoint of this form ever existed, so the form may be refused before anything is looked up.
    if (reply.status === 400 || reply.status === 422) isFormRefused = true
    else check('refused').status(reply, 404)
  }
  if (isFormRefused) inconclusive('the form of an endpoint id was refused')
  if (!isSuccess(health.status)) inconclusive(`/health of an endpoint that exists was answered ${health.status}`)
})
