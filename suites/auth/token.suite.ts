import { nothing } from '../../harness/client/body.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import { expectUnchanged } from '../shared/unchanged.ts'
import { kinds } from './credentials.ts'
import { workingPods } from './pods.ts'

const varies = [...anyPod, 'order', 'sample'] as const

rule('auth.pods.malformed', { varies }, async (context) => {
  const { check, fixture, vary } = context
  const wanted = ['listPods', 'getPod', 'updatePod', 'triggerPodAction', 'deletePod'] as const
  const { pod, requests, expectAllWorked } = await workingPods(context, await fixture.pod('RUNNING'), wanted)
  const ordered = vary.ordered(requests)
  for (const [at, { clause, key, options }] of kinds.malformed.credentials(context).entries()) {
    // Each on the two that matter most, and all operations in turn.
    const inTurn = [2 * at, 2 * at + 1].map((place) => ordered[place % ordered.length])
    const always = requests.filter(({ operation }) => operation === 'getPod' || operation === 'triggerPodAction')
    for (const request of new Set([...inTurn, ...always])) {
      if (request !== undefined) check(clause).status(await request.send(key, options), 401)
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
