import { nothing } from '../../harness/client/body.ts'
import type { PodOperation } from '../../harness/exchange/exchange.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import { expectUnchanged } from '../shared/unchanged.ts'
import { type Authorizations, expired, malformed, missing, neverIssued } from './authorizations.ts'
import { allOperations, onePod, workingPlane } from './operations.ts'

const varies = [...anyPod, 'order', 'sample'] as const

rule('auth.pods.missing', { varies }, (context) => expectRefusedEverywhere(context, missing))

rule('auth.pods.invalid', { varies }, (context) => {
  const { altered } = context.target.keys
  if (altered === undefined) context.inconclusive('keys.full has no character that could be exchanged')
  return expectRefusedEverywhere(context, neverIssued(context))
})

rule('auth.pods.expired', { varies }, (context) => expectRefusedEverywhere(context, expired(context)))

rule('auth.scheme-required', { varies }, (context) =>
  expectRefusedEverywhere(context, [['refused', context.target.keys.full ?? '']]),
)

rule('auth.pods.malformed', { varies }, async (context) => {
  const { check, fixture, pods, vary } = context
  const running = await fixture.pod('RUNNING')
  const { pod, requests, expectAllWorked } = await workingPlane(context, running, ['listPods', ...onePod])
  const operations = vary.ordered([...requests.keys()])
  for (const [at, [clause, authorization]] of malformed(context).entries()) {
    // Each on the two that matter most, and all operations in turn.
    const inTurn = [2 * at, 2 * at + 1].flatMap((place) => operations[place % operations.length] ?? [])
    for (const operation of new Set<PodOperation>([...inTurn, 'getPod', 'triggerPodAction'])) {
      const send = requests.get(operation)
      if (send !== undefined) check(clause).status(await send(pods, { authorization }), 401)
    }
  }
  await expectUnchanged(context, pod)
  expectAllWorked()
})

rule('auth.before-validation', { varies }, async ({ pods, fixture, check, vary }) => {
  const { id } = await fixture.pod('RUNNING')
  const unknown = await fixture.gone()
  const unauthenticated = { authorization: null }
  const wrong = vary.ordered([
    () => pods.create({ plumbline: true }, unauthenticated),
    () => pods.patch(id, { disk: 'much' }, unauthenticated),
    () => pods.actWith(id, { action: 'explode' }, unauthenticated),
    () => pods.actWith(id, nothing, unauthenticated),
  ])
  for (const send of wrong) check('wrong-body').status(await send(), 401)
  const nowhere = vary.ordered([
    () => pods.get(unknown.id, unauthenticated),
    () => pods.patch(unknown.id, {}, unauthenticated),
    () => pods.delete(unknown.id, unauthenticated),
    () => pods.act(unknown.id, 'stop', unauthenticated),
  ])
  for (const send of nowhere) check('unknown-id').status(await send(), 401)
})

rule('auth.scheme-case', async (context) => {
  const { check, fixture, pods } = context
  const { id } = await fixture.shared('RUNNING')
  for (const scheme of ['bearer', 'BEARER'] as const) {
    const options = { authorization: `${scheme} ${context.target.keys.full ?? ''}` }
    check(scheme).success(await pods.list(options))
    check(scheme).success(await pods.get(id, options))
  }
})

/**
 * Every operation, shown to work with a full key, is answered 401 with another Authorization, and is not done; reads are
 * asked for again once they were answered. Each Authorization has its clause.
 */
async function expectRefusedEverywhere(context: Context, others: Authorizations): Promise<void> {
  const { check, fixture, pods, vary } = context
  const operations = allOperations(context)
  const running = await fixture.pod('RUNNING')
  const { requests, expectNoEffect, expectAllWorked } = await workingPlane(context, running, operations)
  for (const [clause, authorization] of others) {
    const again: readonly PodOperation[] = ['getPod', 'listPods']
    const all = vary.ordered(operations)
    for (const [at, operation] of [...all, ...again].entries()) {
      const send = requests.get(operation)
      if (send === undefined) continue
      if (at >= all.length) await send(pods)
      check(clause).status(await send(pods, { authorization }), 401)
    }
  }
  await expectNoEffect()
  expectAllWorked()
}
