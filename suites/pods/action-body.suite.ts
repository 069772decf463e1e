import { constraints, type PodAction } from '../../generated/tables.ts'
import { membersOf, type PodView, show } from '../../harness/exchange/read.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import { expectUnchanged } from '../shared/unchanged.ts'
import { type Bodies, wrongBodies } from './action-bodies.ts'
import { expectAccepted } from './twins.ts'

const statuses = {
  'not-json': [400],
  empty: [400, 422],
  'not-object': constraints.notObject,
  'not-object-422': [422],
  missing: [422],
  'unknown-action': [422],
  'wrong-type': [422],
  extra: [422],
} as const

const varies = [...anyPod, 'action', 'order'] as const

for (const [id, expected] of Object.entries(statuses) as [keyof typeof statuses, readonly number[]][]) {
  const bodies = wrongBodies[id === 'not-object-422' ? 'not-object' : id]
  rule(`pods.action-body.${id}`, (context) => areRefused(context, bodies, ...expected), { varies })
}

rule(
  'pods.action-body.errors-list',
  async (context) => {
    const { pods, check, blocked } = context
    const { pod, action } = await asked(context)
    for (const [by, body] of [
      ['pods.action-body.missing', {}],
      ['pods.action-body.extra', { action, reason: 'plumbline' }],
    ] as const) {
      const reply = await pods.actWith(pod.id, body, { repeats: true })
      if (reply.status !== 422) blocked(by, `a wrong body was answered ${reply.status}`)
      const errors = membersOf(reply.json)?.errors
      const isList = Array.isArray(errors) && errors.length > 0
      check('list').that(isList, 'errors, a list that is not empty', `errors ${show(errors)}`, reply)
      const others = isList ? errors.filter((error) => typeof error !== 'string').map((error) => typeof error) : []
      check('strings').that(others.length === 0, 'strings only', `errors of type ${others.join(', ')}`, reply)
    }
  },
  { varies },
)

/**
 * Each body is refused with one of the statuses, and after that a right one is accepted. An open row records the
 * statuses, and says that nothing is carried out.
 */
async function areRefused(
  context: Context,
  bodiesFor: (action: PodAction) => Bodies,
  ...expected: readonly number[]
): Promise<void> {
  const { pods, check, reading, row, vary } = context
  const { pod, action } = await asked(context)
  for (const [name, body] of vary.ordered(Object.entries(bodiesFor(action)))) {
    const reply = await pods.actWith(pod.id, body, { repeats: true })
    check(name).status(reply, ...expected)
    if (row.basis === 'open') reading(name, String(reply.status))
  }
  if (row.basis === 'open') await expectUnchanged(context, pod)
  await expectAccepted(context, pod, action)
}

/** An action, and a pod in a status that permits it. */
async function asked({ fixture, vary }: Context): Promise<{ readonly pod: PodView; readonly action: PodAction }> {
  const action = vary.draw('action')
  return { action, pod: await fixture.pod(action === 'start' ? 'EXITED' : 'RUNNING') }
}
