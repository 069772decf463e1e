import type { Context } from '../harness/context.ts'
import { textOf } from '../harness/exchange.ts'
import { rule } from '../harness/registry.ts'
import { mayPurge, workingQueue } from './queue-operations.ts'

rule('auth.queue.missing', (context) => isRefusedEverywhere(context, { refused: null }), mayPurge)

rule(
  'auth.queue.invalid',
  (context) => {
    const { altered } = context.target.keys
    return isRefusedEverywhere(context, {
      refused: `Bearer ${context.unissuedToken}`,
      // Of the form that the platform gives its keys.
      ...(altered === undefined ? {} : { altered: `Bearer ${altered}` }),
    })
  },
  mayPurge,
)

rule(
  'auth.queue.hidden',
  async (context) => {
    const { as, queueAs, check, inconclusive, offers } = context
    const stranger = queueAs('stranger')
    const { requests, secret, nothingDone } = await workingQueue(context)
    for (const send of requests.values()) {
      const reply = await send(stranger)
      if (reply.status === 401 && !(offers('pods') && (await as('stranger').list()).status < 300)) {
        inconclusive('the stranger is answered 401 and nothing shows that its key is a valid one')
      }
      check('refused').status(reply, 403, 404)
      const isTold = (textOf(reply.bytes) ?? '').includes(secret)
      check('not-told').that(!isTold, 'nothing of the job', 'what the job was given', reply)
    }
    await nothingDone()
  },
  mayPurge,
)

/** Every operation is answered 401 with another Authorization, and is not done. Each stands under its clause. */
async function isRefusedEverywhere(context: Context, others: Readonly<Record<string, string | null>>): Promise<void> {
  const { requests, nothingDone } = await workingQueue(context)
  for (const [clause, authorization] of Object.entries(others)) {
    for (const send of requests.values()) {
      context.check(clause).status(await send(context.queue, { authorization }), 401)
    }
  }
  await nothingDone()
}
