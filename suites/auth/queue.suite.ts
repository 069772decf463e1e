import { textOf } from '../../harness/exchange/exchange.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { type Authorizations, missing, neverIssued } from './authorizations.ts'
import { mayPurge, workingQueue } from './queue-operations.ts'

rule('auth.queue.missing', mayPurge, (context) => expectRefusedEverywhere(context, missing))

rule('auth.queue.invalid', mayPurge, (context) => expectRefusedEverywhere(context, neverIssued(context)))

rule('auth.queue.no-effect', mayPurge, async (context) => {
  const { requests, expectAllWorked, expectNoEffect } = await workingQueue(context)
  for (const [, authorization] of [...missing, ...neverIssued(context)]) {
    for (const send of requests) await send(context.queue, { authorization })
  }
  await expectNoEffect()
  expectAllWorked()
})

rule('auth.queue.hidden', mayPurge, async (context) => {
  const { as, queueAs, check, inconclusive, offers } = context
  const stranger = queueAs('stranger')
  const { requests, secret, expectAllWorked } = await workingQueue(context)
  for (const send of requests) {
    const reply = await send(stranger)
    if (reply.status === 401 && !(offers('pods') && (await as('stranger').list()).status < 300)) {
      inconclusive('the stranger is answered 401 and nothing shows that its key is a valid one')
    }
    check('refused').status(reply, 403, 404)
    const isTold = (textOf(reply.bytes) ?? '').includes(secret)
    const observed = `status ${reply.status} with the input of the job`
    check('not-told').that(!isTold, 'a refusal without the input of the job', observed, reply)
  }
  expectAllWorked()
})

rule('auth.queue.hidden-no-effect', mayPurge, async (context) => {
  const stranger = context.queueAs('stranger')
  const { requests, expectAllWorked, expectNoEffect } = await workingQueue(context)
  for (const send of requests) await send(stranger)
  await expectNoEffect()
  expectAllWorked()
})

/** Every operation is answered 401 with another Authorization. Each has its clause. */
async function expectRefusedEverywhere(context: Context, others: Authorizations): Promise<void> {
  const { requests, expectAllWorked } = await workingQueue(context)
  for (const [clause, authorization] of others) {
    for (const send of requests) {
      context.check(clause).status(await send(context.queue, { authorization }), 401)
    }
  }
  expectAllWorked()
}
