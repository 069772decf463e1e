import { tables } from '../../generated/tables.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { afterEnd, beforeEnd, waiting } from './times.ts'

const { default: defaultMs, maximum: maximumMs } = tables.bounds.ttlMs

/** A worker that an earlier job brought would have taken it within so long, ms. */
const stayMs = 60_000

const options = { shared: ['scaleToZero'], varies: ['input', 'options'] } as const

rule('queue.ttl.default', options, (context) => livesUntil(context, {}, defaultMs))

rule('queue.ttl.maximum', options, (context) => livesUntil(context, { ttl: maximumMs }, maximumMs))

/** A job that waits is there just before its end, and no more just after. */
async function livesUntil(context: Context, policy: Readonly<Record<string, unknown>>, ttlMs: number): Promise<void> {
  const { check, offers, inconclusive } = context
  const job = await waiting(context, { steps: [{ output: 1 }], policy }, stayMs)
  const before = await beforeEnd(context, job, ttlMs)
  // A job that was executed meanwhile goes with its result.
  if (before.status === 404 && !(offers('receiver') && job.beacon.executions().length === 0)) {
    inconclusive('the job is gone, and may have been executed while it was to wait')
  }
  check('not-before').success(before)
  check('over').status(await afterEnd(context, job, ttlMs), 404)
}
