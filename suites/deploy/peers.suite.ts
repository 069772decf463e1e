import type { Reply } from '../../harness/client/reply.ts'
import { isSuccess, jsonIn } from '../../harness/exchange/exchange.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import type { Deployed } from '../../harness/tool/types.ts'
import { projectOf } from './projects.ts'
import { deployed } from './tool.ts'

/** Heading Limits: the cache of peer addresses, ms; and when it is surely used, and surely no longer. */
const staleMs = 300_000
const [cachedMs, overMs] = [240_000, 70_000]

rule('deploy.peer-cache', { creates: 2 }, async (context) => {
  const { check, clock, inconclusive } = context
  const [one, two] = (await deployed(context, projectOf(context, 'two-queues'))) as [Deployed, Deployed]
  const first = await lookups(context, one, two)
  for (const ms of [0, cachedMs]) {
    if (ms > 0) await clock.sleep(ms)
    const { reply, count } = await lookups(context, one, two)
    const ageMs = reply.exchange.received.target - first.reply.exchange.sent.target
    if (ageMs >= staleMs) inconclusive(`the call of a peer came ${ageMs} ms after the first one, which is too late`)
    check('cached').that(count === first.count, 'no look-up', `${count - first.count} more`, reply)
  }
  await clock.sleep(overMs)
  const { reply, count } = await lookups(context, one, two)
  check('again').that(count > first.count, 'another look-up', 'no look-up', reply)
})

/**
 * Lets an endpoint call a peer: how often it has looked up the peer's address so far. A new peer may be reachable some
 * seconds after its creation.
 */
async function lookups(context: Context, from: Deployed, to: Deployed): Promise<{ reply: Reply; count: number }> {
  const { clock, inconclusive, on, target } = context
  const endMs = clock.now() + target.tolerances.visibleMs
  for (;;) {
    const reply = await on('deploy').call('callPeer', { body: { from: from.name, to: to.name } })
    const { stdout, exit } = membersOf(reply.json) ?? {}
    const count = membersOf(jsonIn(String(stdout)))?.lookups
    if (isSuccess(reply.status)) {
      return typeof count === 'number'
        ? { reply, count }
        : inconclusive('the call of a peer did not print {"lookups": NUMBER}')
    }
    if (clock.now() >= endMs) inconclusive(`the call of a peer ended with exit code ${String(exit)}`)
    await clock.sleep(target.tolerances.pollMs)
  }
}
