import { constraints } from '../../generated/tables.ts'
import type { Context } from '../harness/context.ts'
import { membersOf, show } from '../harness/read.ts'
import { rule } from '../harness/registry.ts'
import { type Bodies, wrongBodies } from './action-bodies.ts'
import { isAccepted } from './twins.ts'
import { staysUnchanged } from './unchanged.ts'

rule('pods.action-body.not-json', (context) => areRefused(context, wrongBodies['not-json']('stop'), 400))

rule('pods.action-body.empty', (context) => areRefused(context, wrongBodies.empty('stop'), 400, 422))

rule('pods.action-body.not-object', (context) =>
  areRefused(context, wrongBodies['not-object']('stop'), ...constraints.notObject),
)

for (const id of ['missing', 'unknown-action', 'wrong-type', 'extra'] as const) {
  rule(`pods.action-body.${id}`, (context) => areRefused(context, wrongBodies[id]('stop'), 422))
}

rule('pods.action-body.not-object-422', (context) => areRefused(context, wrongBodies['not-object']('stop'), 422))

rule('pods.action-body.errors-list', async ({ pods, fixture, check, inconclusive }) => {
  const pod = await fixture.pod('RUNNING')
  for (const body of [{}, { action: 'stop', reason: 'plumbline' }]) {
    const reply = await pods.actWith(pod.id, body)
    if (reply.status !== 422) inconclusive(`a wrong body was answered ${reply.status}, which another rule judges`)
    const errors = membersOf(reply.json)?.errors
    const isList = Array.isArray(errors) && errors.length > 0
    check('list').that(isList, 'errors, a list that is not empty', `errors ${show(errors)}`, reply)
    const others = isList ? errors.filter((error) => typeof error !== 'string').map((error) => typeof error) : []
    check('strings').that(others.length === 0, 'strings only', `errors of type ${others.join(', ')}`, reply)
  }
})

/**
 * Each body is refused with one of the statuses, and after that a right one is accepted. An open row records the
 * statuses, and says that nothing is carried out.
 */
async function areRefused(context: Context, bodies: Bodies, ...statuses: readonly number[]): Promise<void> {
  const { pods, fixture, check, reading, row } = context
  const pod = await fixture.pod('RUNNING')
  for (const [name, body] of Object.entries(bodies)) {
    const reply = await pods.actWith(pod.id, body)
    check(name).status(reply, ...statuses)
    if (row.basis === 'open') reading(name, String(reply.status))
  }
  if (row.basis === 'open') await staysUnchanged(context, pod)
  await isAccepted(context, pod)
}
