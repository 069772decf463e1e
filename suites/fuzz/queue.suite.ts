import { tables } from '../../generated/tables.ts'
import { raw } from '../../harness/client/body.ts'
import type { Reply } from '../../harness/client/reply.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { jobIdIn } from '../../harness/exchange/read.ts'
import type { QueueClient } from '../../harness/planes/queue/client.ts'
import { outageStatuses } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { answerTo, unlessUnanswered } from '../../harness/rule/outcome.ts'
import { rule } from '../../harness/rule/registry.ts'
import { oneWorker } from '../shared/full-endpoint.ts'
import { arbitraryCase, caseText, draw, enumerate, type FuzzCase, shrinkable } from './cases.ts'
import { allowedText, classify, isIn } from './oracle.ts'
import { answerText, bodySaid, bodyText, simplest } from './play.ts'
import { ledgerSeed, submissionBodies } from './world.ts'

/** Random cases after the enumeration. */
const drawn = 12

/** How a case is sent, and what may be answered. */
interface Way {
  readonly clause: string
  readonly operation: 'runJob' | 'runJobSync'
  readonly send: QueueClient['run']
}

rule(
  'queue.body.fuzz',
  async (context) => {
    const { check, fixture, part, queue } = context
    // Where nothing is taken at all, that is for its own rule to say.
    await fixture.submitted()
    const run: Way = { clause: 'run', operation: 'runJob', send: queue.run }
    const runsync: Way = { clause: 'runsync', operation: 'runJobSync', send: queue.runsync }
    for (const one of cases) {
      const reply = await tryOne(context, run, one)
      if (isSuccess(reply.status)) check('id').that(jobIdIn(reply.json) !== null, 'an id', 'no id', reply)
    }
    for (const one of cases) {
      // Without our worker nobody knows how long it would take until a valid one is answered.
      const isTwin = one === cases[0] && part('worker')
      if (isTwin || isRefused(one)) await tryOne(context, runsync, one)
    }
  },
  { workers: oneWorker },
)

/** Sends a case; the answer has to be in a class that the oracle gives. */
async function tryOne(context: Context, { clause, operation, send }: Way, one: FuzzCase): Promise<Reply> {
  const { check, inconclusive } = context
  const allowed = classify({ operation }, one.bytes)
  const reply = await sendTwice(send, one)
  const { status } = reply
  check(clause).saw(reply)
  // Another success than 200 is for the rules about /run and /runsync to judge.
  const seen = isSuccess(status) ? 200 : status
  if (allowed.some(({ answers }) => isIn(seen, answers))) return reply
  // What /runsync answers once its wait is over is not described.
  if (operation === 'runJobSync' && status === 408) inconclusive('/runsync answered 408: no worker came in its wait')
  if (outageStatuses.has(status)) inconclusive(`the target answered ${status}, which is an outage`)
  const least = await simplest(one, async (simpler) => {
    const again = await sendTwice(send, simpler)
    const classes = classify({ operation }, simpler.bytes)
    return again.status === status && !classes.some(({ answers }) => isIn(status, answers))
  })
  const expected = `${allowedText(allowed)} to ${bodyText(least.bytes)}`
  check(clause).that(false, expected, answerText(reply, least), reply)
  return reply
}

/** Sends a case, and once more where no complete response came; the reason names its body where none came again. */
async function sendTwice(send: Way['send'], one: FuzzCase): Promise<Reply> {
  const body = raw(one.bytes)
  return (await unlessUnanswered(send(body))) ?? answerTo(bodySaid(one), send(body, { newConnection: true }))
}

function isRefused({ bytes }: FuzzCase): boolean {
  return classify({ operation: 'runJob' }, bytes).every(({ after }) => after.kind === 'unchanged')
}

/** Everything that can be wrong once, each kind of field at one place; nobody is notified of what is accepted. */
function enumerated(): FuzzCase[] {
  const { executionTimeoutMs, ttlMs } = tables.bounds
  const policy = { executionTimeout: executionTimeoutMs.default, lowPriority: false, ttl: ttlMs.default }
  const s3Config = { accessId: 'id', accessSecret: 'none', bucketName: 'plumbline', endpointUrl: 'https://s3.invalid' }
  const webhook = 'https://receiver.invalid/plumbline'
  const done = new Set<string>()
  return [
    ...enumerate({ input: {} }, 'JobSubmission'),
    ...enumerate({ input: {}, policy, s3Config }, 'JobSubmission').filter(({ place }) => !alike.has(place)),
    ...enumerate({ input: {}, webhook }, 'JobSubmission').filter(
      (one) => one.place === '$.webhook' && classify({ operation: 'runJob' }, one.bytes).some(mayRefuse),
    ),
  ].filter((one) => {
    const isNew = !done.has(caseText(one))
    done.add(caseText(one))
    return isNew
  })
}

/** Texts of which the description says the same as of another one. */
const alike: ReadonlySet<string> = new Set(['$.s3Config.accessSecret', '$.s3Config.bucketName'])

function mayRefuse({ after }: ReturnType<typeof classify>[number]): boolean {
  return after.kind === 'unchanged'
}

/** The same cases as long as the ledger is the same: a gate must not flicker. */
function random(): FuzzCase[] {
  const bodies = arbitraryCase(submissionBodies, 'JobSubmission')
  return Array.from({ length: drawn }, (_, run) => shrinkable(draw(bodies, ledgerSeed, run), bodies))
}

const cases: readonly FuzzCase[] = [...enumerated(), ...random()]
