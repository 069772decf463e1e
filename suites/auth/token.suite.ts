import { nothing } from '../harness/client/body.ts'
import type { Context } from '../harness/context.ts'
import { rule } from '../harness/registry.ts'
import { staysUnchanged } from '../pods/unchanged.ts'
import { allOperations, workingPlane } from './operations.ts'

rule('auth.pods.missing', (context) => isRefusedEverywhere(context, { refused: null }))

rule('auth.pods.invalid', (context) => {
  const { altered } = context.target.keys
  return isRefusedEverywhere(context, {
    refused: `Bearer ${context.unissuedToken}`,
    // Of the form that the platform gives its keys.
    ...(altered === undefined ? {} : { altered: `Bearer ${altered}` }),
  })
})

rule('auth.pods.expired', (context) => isRefusedEverywhere(context, { refused: `Bearer ${keyOf(context, 'expired')}` }))

rule('auth.scheme-required', (context) => isRefusedEverywhere(context, { refused: keyOf(context, 'full') }))

rule('auth.pods.malformed', async (context) => {
  const { pods, fixture, check, inconclusive } = context
  const pod = await fixture.pod('EXITED')
  const key = keyOf(context, 'full')
  const malformed = { 'another-scheme': [`Token ${key}`, `Basic ${key}`], 'no-token': ['Bearer'], empty: [''] } as const
  for (const [clause, values] of Object.entries(malformed)) {
    for (const authorization of values) {
      check(clause).status(await pods.get(pod.id, { authorization }), 401)
      check(clause).status(await pods.act(pod.id, 'start', { authorization }), 401)
    }
  }
  await staysUnchanged(context, pod)
  const { status } = await pods.act(pod.id, 'start')
  if (status >= 300) inconclusive(`start was answered ${status} with a good Authorization too`)
})

rule('auth.before-validation', async ({ pods, fixture, check }) => {
  const { id } = await fixture.pod('RUNNING')
  const unknown = await fixture.gone()
  const unauthenticated = { authorization: null }
  const wrong = [
    await pods.create({ plumbline: true }, unauthenticated),
    await pods.patch(id, { disk: 'much' }, unauthenticated),
    await pods.actWith(id, { action: 'explode' }, unauthenticated),
    await pods.actWith(id, nothing, unauthenticated),
  ]
  for (const reply of wrong) check('wrong-body').status(reply, 401)
  const nowhere = [
    await pods.get(unknown.id, unauthenticated),
    await pods.patch(unknown.id, {}, unauthenticated),
    await pods.delete(unknown.id, unauthenticated),
    await pods.act(unknown.id, 'stop', unauthenticated),
  ]
  for (const reply of nowhere) check('unknown-id').status(reply, 401)
})

rule('auth.scheme-case', async (context) => {
  const { pods, check } = context
  for (const scheme of ['bearer', 'BEARER'] as const) {
    check(scheme).success(await pods.list({ authorization: `${scheme} ${keyOf(context, 'full')}` }))
  }
})

/**
 * Every operation, shown to work with a full key, is answered 401 with another Authorization, and is not done. Each
 * Authorization stands under its clause.
 */
async function isRefusedEverywhere(context: Context, others: Readonly<Record<string, string | null>>): Promise<void> {
  const { check, fixture, pods } = context
  const operations = allOperations(context)
  const { requests, nothingDone } = await workingPlane(context, await fixture.pod('RUNNING'), operations)
  for (const [clause, authorization] of Object.entries(others)) {
    for (const operation of operations) check(clause).status(await requests[operation](pods, { authorization }), 401)
  }
  await nothingDone()
}

function keyOf({ target }: Context, name: 'full' | 'expired'): string {
  return target.keys[name] ?? ''
}
