import type { PodAction } from '../../generated/tables.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import { inconclusiveIfOutage } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { NotApplicable } from '../../harness/rule/outcome.ts'
import { rule } from '../../harness/rule/registry.ts'
import { aPod } from '../../harness/variation/dimensions.ts'
import { responsesTo } from '../shared/at-once.ts'
import { laterPodReads } from '../shared/unchanged.ts'
import { expectTerminated } from './answers.ts'
import { isConsistent } from './orders.ts'

/** How many calls are sent at once. */
const many = 10
const stops = Array<PodAction>(many).fill('stop')
const starts = Array<PodAction>(many).fill('start')
const terminates = Array<PodAction>(many).fill('terminate')

rule('pods.action.race-stop', { varies: aPod }, async (context) => {
  const { check, settle } = context
  const { id, raced } = await sendTogether(context, stops)
  for (const { response } of raced) check('answers').status(response, 200, 409)
  const { response, status } = await settle(id, (seen) => seen === 'EXITED')
  check('ends').that(status === 'EXITED', 'status EXITED', `status ${status}`, response)
})

const onceEach = ['stop', 'start'] as const

rule('pods.action.race-once', { each: () => onceEach, varies: [...aPod, 'branch'] }, async (context, action) => {
  const { check, notJudged } = context
  const { raced } = await sendTogether(context, action === 'stop' ? stops : starts)
  const done = raced.filter(({ response }) => response.status === 200)
  const last = done.at(-1)?.response ?? null
  const areExited = done.map(({ response }) => membersOf(response.json)?.status === 'EXITED')
  // As long as an action is under way, the pod may be in a status that permits another one.
  if (action === 'stop' && done.length > 1 && !areExited.includes(true))
    throw new NotApplicable('a stop is answered before it is carried out')
  if (action === 'start' && (done.length === 0 || areExited.includes(true)))
    return notJudged('start', 'no start is accepted, or it is answered before it is carried out')
  check('once').that(done.length === 1, 'one response 200', `${done.length} responses 200`, last)
})

rule('pods.action.race-terminate', { varies: aPod }, async (context) => {
  const { check } = context
  const { id, raced } = await sendTogether(context, terminates)
  for (const { response } of raced) check('answers').status(response, 204, 404, 409)
  const isDone = raced.some(({ response }) => response.status === 204)
  check('one').that(isDone, 'a response 204', 'none', raced.at(-1)?.response ?? null)
  await expectPodGone(context, id)
})

rule('pods.action.race-mixed', { varies: [...aPod, 'order'] }, async (context) => {
  const { check, lacksCapacity, vary } = context
  const actions = vary.ordered<PodAction>(['start', 'stop', 'restart', 'terminate'])
  const { id, raced } = await sendTogether(context, actions)
  for (const { response } of raced) {
    const isAnswered = response.status < 500 || lacksCapacity(response)
    check('answers').that(isAnswered, 'a 2xx or 4xx status', `status ${response.status}`, response)
  }
  const done = raced.map(({ action, response }) => ({ action, isDone: isSuccess(response.status) }))
  const seen = raced.map(({ action, response }) => `${action} ${response.status}`).sort()
  const expected = 'responses consistent with some order of the calls'
  check('consistent').that(isConsistent(done, ['RUNNING']), expected, seen.join(', '), raced.at(-1)?.response ?? null)
  await expectPodGone(context, id)
})

interface Raced {
  readonly action: PodAction
  readonly response: ApiResponse
}

/**
 * Sends calls for one pod at the same time: for an EXITED pod if all are starts, else for a RUNNING one. A call answered 429 was
 * not carried out and is left out. If no terminate or only one call is left, another pod gets the calls. After that the rule is
 * inconclusive, as it is if a call has no response of the API.
 */
async function sendTogether(
  context: Context,
  actions: readonly PodAction[],
  isLast = false,
): Promise<{ readonly id: string; readonly raced: readonly Raced[] }> {
  const { fixture, inconclusive, pods, reserve } = context
  const { id } = await fixture.pod(actions.every((action) => action === 'start') ? 'EXITED' : 'RUNNING')
  await reserve(actions.length)
  const coming = actions.map((action) =>
    pods.begin('triggerPodAction', { ids: { id }, body: { action }, raw429: true }),
  )
  const responses = await responsesTo(context, coming)
  const all = actions.map((action, at) => {
    const response = responses[at] ?? inconclusive(`a call of ${action} had no response`)
    inconclusiveIfOutage(response)
    return { action, response }
  })
  const raced = all.filter(({ response }) => response.status !== 429)
  const lacksTerminate = actions.includes('terminate') && raced.every(({ action }) => action !== 'terminate')
  if (!lacksTerminate && raced.length > 1) return { id, raced }
  return isLast ? inconclusive('the quota did not suffice for the calls') : sendTogether(context, actions, true)
}

/** A terminated pod is gone, and stays so. */
async function expectPodGone(context: Context, id: string): Promise<void> {
  await context.settle(id, (seen) => seen === 'gone' || seen === 'TERMINATED')
  for await (const later of laterPodReads(context, id)) expectTerminated(context.check('ends'), later)
}
