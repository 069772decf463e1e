import { tables } from '../../generated/tables.ts'
import { raw } from '../../harness/client/body.ts'
import type { Reply } from '../../harness/client/reply.ts'
import type { PlannedJob } from '../../harness/fixtures/types.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyJob } from '../../harness/variation/dimensions.ts'
import { blockedBy, submittedId } from '../shared/job-answers.ts'
import { refusals } from '../shared/table.ts'
import { submitting } from './submission-arrangement.ts'

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
})

refusals('queue.body.input-type', submitting, [400], {
  null: { input: null },
  text: { input: 'text' },
  'object as text': { input: '{}' },
  number: { input: 1 },
  boolean: { input: true },
  'empty list': { input: [] },
  list: { input: [{}] },
})

rule('queue.body.ttl-bounds', { varies: ['input', 'options'] }, async (context) => {
  // The time that an execution may take fits into either.
  const { executionTimeoutMs, ttlMs } = tables.bounds
  const bounds = { least: ttlMs.minimum, greatest: ttlMs.maximum }
  // What is refused afterwards is refused for its ttl.
  const plain = await context.fixture.submitted()
  for (const [clause, ttl] of Object.entries(bounds)) {
    for (const more of [{}, { lowPriority: false }, { lowPriority: true }]) {
      const body = { ...plain.body, policy: { executionTimeout: executionTimeoutMs.minimum, ttl, ...more } }
      submittedId(context, clause, body, await context.queue.run(body))
    }
  }
})

rule('queue.body.no-job', { varies: [...anyJob, 'order'] }, async (context) => {
  const { begun, check, clock, ended, fixture, looks, queue, target } = context
  const rejected: PlannedJob[] = []
  let last: Reply | null = null
  for (const spoil of spoilers) {
    for (const submit of context.vary.ordered([queue.run, queue.runsync])) {
      const job = fixture.job({ steps: [{ output: 1 }] })
      last = await submit(spoil(job.body))
      if (last.status >= 400 && last.status < 500) rejected.push(job)
    }
  }
  if (rejected.length === 0 && last !== null)
    blockedBy(context, 'queue.body.not-json', 'no spoiled submission was rejected', last)
  const later = await fixture.submitted({ steps: [{ output: 1 }] })
  await begun(later)
  const { reply } = await ended(later)
  await clock.sleep(target.tolerances.dispatchMs + (looks().at(-1) ?? 0))
  for (const { beacon } of rejected) {
    check('not-executed').that(
      beacon.executions().length === 0,
      'no execution of what was rejected',
      'an execution',
      reply,
    )
  }
})

/** Ways to spoil a submission so that what it asks for can still be made out. */
const spoilers: readonly ((body: Readonly<Record<string, unknown>>) => unknown)[] = [
  (body) => raw(JSON.stringify(body).slice(0, -1)),
  (body) => [body],
  (body) => ({ ...body, input: [body.input] }),
  (body) => ({ ...body, input: JSON.stringify(body.input) }),
]
