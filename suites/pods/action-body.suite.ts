import { constraints } from '../../generated/tables.ts'
import { membersOf, show } from '../../harness/exchange/read.ts'
import { rule } from '../../harness/rule/registry.ts'
import { type RefusalTable, refusals } from '../shared/table.ts'
import { acting, actingVaries, podForAction } from './arrangements.ts'

refusals('pods.action-body.not-json', acting, [400], {
  truncated: { text: (json) => json.slice(0, -1) },
  'bare-word': { text: (json) => String(JSON.parse(json).action) },
  'trailing-garbage': { text: (json) => `${json} and more` },
  'trailing-comma': { text: (json) => `${json.slice(0, -1)},}` },
})

refusals('pods.action-body.empty', acting, [400, 422], {
  'no-body': { text: () => '' },
  'not-utf8': { text: (json) => new Uint8Array([...Buffer.from(json.slice(0, -2)), 0xff, ...Buffer.from('"}')]) },
})

const notObject: RefusalTable<undefined>['cases'] = {
  array: ({ action }) => [action],
  string: ({ action }) => action,
  number: () => 7,
  null: () => null,
}

refusals('pods.action-body.not-object', acting, constraints.notObject, notObject)

refusals('pods.action-body.not-object-422', acting, [422], notObject)

refusals('pods.action-body.missing', acting, [422], { 'no-action': () => ({}) })

refusals('pods.action-body.unknown-action', acting, [422], {
  unknown: ({ action }) => ({ action: `${action}-now` }),
  'another-case': ({ action }) => ({ action: String(action).toUpperCase() }),
  padded: ({ action }) => ({ action: ` ${action} ` }),
})

refusals('pods.action-body.wrong-type', acting, [422], {
  number: { action: 7 },
  null: { action: null },
  array: ({ action }) => ({ action: [action] }),
  object: ({ action }) => ({ action: { [String(action)]: true } }),
})

refusals('pods.action-body.extra', acting, [422], {
  'extra-text': ({ action }) => ({ action, reason: 'plumbline' }),
  'extra-null': ({ action }) => ({ action, reason: null }),
  'extra-first': ({ action }) => ({ force: true, action }),
})

rule('pods.action-body.errors-list', { varies: actingVaries }, async (context) => {
  const { pods, check, blocked } = context
  const { pod, action } = await podForAction(context)
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
})
