import { tables } from '../../generated/tables.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { raw } from '../../harness/client/body.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import type { Members } from '../../harness/exchange/read.ts'
import { validText } from '../../harness/planes/queue/fixtures/jobs.ts'
import type { PlannedJob } from '../../harness/planes/queue/fixtures/types.ts'
import { inconclusiveIfOutage, isRefusal, responseText } from '../../harness/rule/check.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { oneWorker } from '../shared/full-endpoint.ts'
import { blockedBy, blockedIfAllAreRefused, leastWaitMs, submittedId } from '../shared/job-responses.ts'
import { executeLaterJob } from '../shared/later-job.ts'
import { anyOf, refusals } from '../shared/table.ts'
import { expectSyncAccepted, submitting } from './submitting.ts'

refusals('queue.body.not-json', submitting, [400], {
  truncated: { text: (json) => json.slice(0, -1) },
  'trailing brace': { text: (json) => `${json}}` },
  'single quotes': { text: (json) => json.replaceAll('"', "'") },
  'form data': { text: () => 'input={}' },
  'trailing comma': { text: (json) => `${json.slice(0, -1)},}` },
  list: (valid) => [valid],
  'empty list': () => [],
  null: () => null,
  number: () => 1,
  boolean: () => true,
  string: () => 'input',
})

refusals('queue.body.input-missing', submitting, [400], {
  empty: () => ({}),
  'policy alone': () => ({ policy: { lowPriority: false } }),
  'input as the body': () => ({ prompt: 'Hello' }),
  'like the input': anyOf({
    capitalised: () => ({ Input: {} }),
    plural: () => ({ inputs: {} }),
    padded: () => ({ 'input ': {} }),
    nested: () => ({ job: { input: {} } }),
    'named empty': () => ({ '': {} }),
  }),
})

refusals('queue.body.input-type', submitting, [400], {
  null: { input: null },
  text: { input: 'text' },
  'object as text': { input: '{}' },
  number: { input: 1 },
  boolean: { input: true },
  'empty list': { input: [] },
  list: { input: [{}] },
  'another value': anyOf({
    'empty text': { input: '' },
    zero: { input: 0 },
    false: { input: false },
    'list of lists': { input: [[]] },
    'list of pairs': { input: [['prompt', 'Hello']] },
  }),
})

rule('queue.body.ttl-bounds', { varies: ['input', 'options'], workers: oneWorker }, async (context) => {
  const { check, fixture, part, queue } = context
  // The time that an execution may take fits into either.
  const { executionTimeoutMs, ttlMs } = tables.bounds
  const bounds = { least: ttlMs.minimum, greatest: ttlMs.maximum }
  // What is refused afterwards is refused for its ttl.
  const plain = await fixture.submitted()
  if (part('worker')) await expectSyncAccepted(context)
  for (const [clause, ttl] of Object.entries(bounds)) {
    for (const more of [{}, { lowPriority: false }, { lowPriority: true }]) {
      const body = { ...plain.body, policy: { executionTimeout: executionTimeoutMs.minimum, ttl, ...more } }
      const response = await queue.run(body)
      await blockedIfAllAreRefused(context, response)
      submittedId(context, clause, body, response)
    }
    if (!part('worker')) continue
    const body = { ...plain.body, policy: { executionTimeout: executionTimeoutMs.minimum, ttl } }
    const response = await queue.runsync(body)
    inconclusiveIfOutage(response)
    await blockedIfAllAreRefused(context, response)
    const { received, sent } = response.exchange
    // Once the wait or the ttl is over, the response is open.
    const isOver = received.target - sent.target >= leastWaitMs && response.status !== 400 && response.status !== 422
    const isTaken = isSuccess(response.status) || isOver
    check(clause).that(isTaken, `${validText(body)} is accepted (200)`, responseText(response), response)
  }
})

rule('queue.body.no-job', { varies: [...anyJob, 'order', 'sample'] }, async (context) => {
  const { check, fixture, queue, vary } = context
  const rejected: PlannedJob[] = []
  let last: ApiResponse | null = null
  const [, drawn] = vary.sample('spoiled', Object.entries(invalidOptions), ([name]) => name) ?? []
  for (const spoil of [...spoilers, (body: Members) => ({ ...body, ...drawn })]) {
    for (const submit of vary.ordered([queue.run, queue.runsync])) {
      const job = fixture.job({ steps: [{ output: 1 }] })
      last = await submit(spoil(job.body))
      if (isRefusal(last)) rejected.push(job)
    }
  }
  if (rejected.length === 0 && last !== null)
    blockedBy(context, 'queue.body.not-json', 'no spoiled submission was rejected', last)
  const response = await executeLaterJob(context)
  for (const { beacon } of rejected) {
    const isExecuted = beacon.executions().length > 0
    check('not-executed').that(!isExecuted, 'no execution of what was rejected', 'an execution', response)
  }
})

/** Options of a submission that a platform may refuse. */
const invalidOptions: Readonly<Record<string, Members>> = {
  'ttl too short': { policy: { ttl: tables.bounds.ttlMs.minimum - 1 } },
  'executionTimeout too long': { policy: { executionTimeout: tables.bounds.executionTimeoutMs.maximum + 1 } },
  'text for the policy': { policy: 'none' },
  'webhook that is no URL': { webhook: 'nowhere' },
  'list for s3Config': { s3Config: [] },
}

/** Ways to spoil a submission so that what it asks for can still be made out. */
const spoilers: readonly ((body: Members) => unknown)[] = [
  (body) => raw(JSON.stringify(body).slice(0, -1)),
  (body) => [body],
  (body) => ({ ...body, input: [body.input] }),
  (body) => ({ ...body, input: JSON.stringify(body.input) }),
]
