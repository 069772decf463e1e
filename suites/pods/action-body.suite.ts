import type { RuleId } from '../../generated/rules.ts'
import { constraints, type PodAction } from '../../generated/tables.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { raw } from '../../harness/client/body.ts'
import { isSuccess, mediaTypeOf } from '../../harness/exchange/exchange.ts'
import { membersOf, show } from '../../harness/exchange/read.ts'
import { inconclusiveIfOutage } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { NotApplicable } from '../../harness/rule/outcome.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import { expectRefusal } from '../shared/refusal.ts'
import { anyOf, casesOf, type RefusalTable, refusals, refusalTables, wrongBody } from '../shared/table.ts'
import { expectUnchanged } from '../shared/unchanged.ts'
import { expectAccepted } from './answers.ts'
import { acting, actingVaries, podForAction } from './arrangements.ts'

/** Statuses of a refusal because of the body, or of its size; any other status may have another reason. */
const bodyRefusals: ReadonlySet<number> = new Set([400, 415, 422])
const sizeRefusals: ReadonlySet<number> = new Set([...bodyRefusals, 413])
const largeMegabytes = 4
const deepLevels = 10_000

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
  'like an action': anyOf({
    empty: { action: '' },
    'first letters': ({ action }) => ({ action: String(action).slice(0, -1) }),
    capitalised: ({ action }) => ({ action: String(action).replace(/^./, (letter) => letter.toUpperCase()) }),
    'a status': { action: 'RUNNING' },
    'a name of every object': { action: 'constructor' },
  }),
  'unusual text': anyOf({
    'very long': ({ action }) => ({ action: String(action).repeat(100) }),
    'an accent': ({ action }) => ({ action: `${action}\u0301` }),
    'full width': ({ action }) => ({ action: fullWidth(String(action)) }),
    'a line break': ({ action }) => ({ action: `${action}\n` }),
    'a letter beyond the BMP': ({ action }) => ({ action: `${action}🚀` }),
  }),
})

refusals('pods.action-body.wrong-type', acting, [422], {
  number: { action: 7 },
  null: { action: null },
  array: ({ action }) => ({ action: [action] }),
  object: ({ action }) => ({ action: { [String(action)]: true } }),
  'another type': anyOf({
    true: { action: true },
    false: { action: false },
    zero: { action: 0 },
    'empty list': { action: [] },
    'empty object': { action: {} },
  }),
})

refusals('pods.action-body.extra', acting, [422], {
  'extra-text': ({ action }) => ({ action, reason: 'plumbline' }),
  'extra-null': ({ action }) => ({ action, reason: null }),
  'extra-first': ({ action }) => ({ force: true, action }),
  'extra without a name': ({ action }) => ({ action, '': true }),
  'extra of a name': anyOf({
    id: ({ action }) => ({ action, id: 'pod-plumbline' }),
    actions: ({ action }) => ({ action, actions: [action] }),
    Action: ({ action }) => ({ action, Action: action }),
    status: ({ action }) => ({ action, status: 'RUNNING' }),
    extension: ({ action }) => ({ action, 'x-force': false }),
  }),
  'extra field of a pod': anyOf({
    mounts: ({ action }) => ({ action, mounts: {} }),
    name: ({ action }) => ({ action, name: 'plumbline' }),
    image: ({ action }) => ({ action, image: 'plumbline' }),
    env: ({ action }) => ({ action, env: {} }),
    locked: ({ action }) => ({ action, locked: false }),
  }),
})

rule('pods.action-body.errors-list', { varies: actingVaries }, async (context) => {
  const { pods, check } = context
  const { pod, action } = await podForAction(context)
  let isListed = false
  for (const body of [{}, { action, reason: 'plumbline' }]) {
    const response = await pods.actWith(pod.id, body, { mustBeRefused: true })
    check('list').status(response, 422)
    const { errors } = membersOf(response.json) ?? {}
    if (errors === undefined) continue
    isListed = true
    const isList = Array.isArray(errors) && errors.length > 0
    check('list').that(isList, 'errors, a list that is not empty', `errors ${show(errors)}`, response)
    const others = isList ? errors.filter((error) => typeof error !== 'string').map((error) => typeof error) : []
    check('strings').that(others.length === 0, 'strings only', `errors of type ${others.join(', ')}`, response)
  }
  if (!isListed) throw new NotApplicable('a 422 has no errors, which are optional')
})

rule('pods.action-body.no-effect', { varies: [...anyPod, 'order'] }, async (context) => {
  const { check, pods, fixture, blocked, vary } = context
  const pod = await fixture.pod('RUNNING')
  const unexpected: { readonly by: RuleId; readonly status: number }[] = []
  for (const action of vary.ordered(['stop', 'terminate'] as const)) {
    for (const { id, body } of vary.ordered(wrongBodies(action, context))) {
      const response = await pods.actWith(pod.id, body, { mustBeRefused: true })
      const { status } = response
      inconclusiveIfOutage(response)
      check('refused').that(!isSuccess(status), `a refusal, as ${id} has it`, `status ${status}`, response)
      if (!bodyRefusals.has(status)) unexpected.push({ by: id, status })
    }
    await expectUnchanged(context, pod)
  }
  await expectAccepted(context, pod)
  const [first] = unexpected
  if (first !== undefined) blocked(first.by, `a wrong body was answered ${first.status}`)
})

rule('pods.action-body.validation-first', { varies: anyPod }, async (context) => {
  const { pods, fixture, check, reading } = context
  const pod = await fixture.pod('EXITED')
  const response = await pods.actWith(pod.id, { action: 'restart', reason: 'plumbline' }, { mustBeRefused: true })
  check('refused').status(response, 422, 409)
  reading('status', String(response.status))
  await expectUnchanged(context, pod)
})

rule('pods.action-body.media-type', { varies: anyPod }, async (context) => {
  const { pods, fixture, check, reading, settle } = context
  const pod = await fixture.pod('RUNNING')
  const response = await pods.act(pod.id, 'stop', { contentType: 'text/plain' })
  check('answered').status(response, 200, 400, 415, 422)
  reading('text', response.status === 200 ? 'read as JSON' : String(response.status))
  if (response.status === 200) {
    const rest = await settle(pod.id, (status) => status === 'EXITED')
    return check('carried-out').that(rest.settled, 'status EXITED', `status ${rest.status}`, rest.response)
  }
  const type = mediaTypeOf(response.exchange.response?.headers ?? [])
  const isProblem = type === 'application/problem+json'
  check('problem').that(isProblem, 'application/problem+json', type ?? 'no Content-Type', response)
  await expectUnchanged(context, pod)
  const usual = await pods.act(pod.id, 'stop', { contentType: 'application/json; charset=utf-8' })
  check('charset').that(
    !bodyRefusals.has(usual.status),
    'JSON with its charset is read',
    `status ${usual.status}`,
    usual,
  )
})

rule('pods.action-body.oversize', { varies: anyPod }, async (context) => {
  const { pods, fixture, reading } = context
  const pod = await fixture.pod('RUNNING')
  const long = await pods.actWith(pod.id, { action: 'stop', reason: 'x'.repeat(largeMegabytes * 1_000_000) })
  expectRefusedForSize(context, 'megabytes', long)
  reading('megabytes', String(long.status))
  const deepBody = raw(`{"action":"stop","reason":${'['.repeat(deepLevels)}${']'.repeat(deepLevels)}}`)
  const deep = await pods.actWith(pod.id, deepBody)
  expectRefusedForSize(context, 'levels', deep)
  reading('levels', String(deep.status))
  await expectUnchanged(context, pod)
  await expectAccepted(context, pod)
})

/** The bodies of every table about action calls, with the rule of each. */
function wrongBodies(
  action: PodAction,
  { target }: Context,
): readonly { readonly id: RuleId; readonly body: unknown }[] {
  return refusalTables
    .filter(({ id }) => id.startsWith('pods.action-body.') && id !== 'pods.action-body.not-object-422')
    .flatMap(({ id, table }) =>
      // Each rule tries one member of a class, on one action.
      casesOf(table).map(({ wrong }) => ({ id, body: wrongBody(wrong, { action }, target, undefined) })),
    )
}

/** Letters of the same word that a normalization (NFKC) takes for the plain ones. */
function fullWidth(word: string): string {
  return word.replace(/[a-z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0))
}

/** The response is a refusal of the body or its size. */
function expectRefusedForSize(context: Context, clause: string, response: ApiResponse): void {
  expectRefusal(context, clause, response)
  const { status } = response
  if (!sizeRefusals.has(status))
    context.inconclusive(`a body of ${clause} was answered ${status}, which is not for its size`)
}
