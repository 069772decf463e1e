import type { PodAction } from '../../generated/tables.ts'
import { changedFields, type Members, type PodView } from '../../harness/exchange/read.ts'
import { restartBeginsMs } from '../../harness/planes/pods/fixtures/history.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import { retryWhileScarce } from './answers.ts'

/** The actions that answer the pod, in an order in which each is permitted: where each leads, and the rule about that. */
const steps = [
  { action: 'restart', status: 'RUNNING', by: 'pods.action.running.restart' },
  { action: 'stop', status: 'EXITED', by: 'pods.action.running.stop' },
  { action: 'start', status: 'RUNNING', by: 'pods.action.exited.start' },
] as const

const judged = ['actions', 'cost', 'runtime', 'startedAt', 'status']

/** How often a response may show the pod as it was, if the pod may have changed between the response and the read. */
const tries = 3

/** A read, the action, and the read right after. */
const requestsInAStep = 3

/** Seconds of its life that a restart is to be seen by. */
const livesMs = 3_000

rule('pods.action.answer-updated', { varies: anyPod }, async (context) => {
  const { blocked, check, clock, fixture, pods, settle } = context
  let pod = await fixture.pod('RUNNING')
  const behind = new Map<PodAction, number>()
  for (let round = 1; round <= tries; round++) {
    for (const { action, status, by } of steps) {
      if (action === 'restart') await clock.sleep(livesMs)
      // A read that waits for the quota may show what has changed since the response.
      await context.reserve(requestsInAStep)
      const before = check(action).pod(await pods.get(pod.id))
      const response = await retryWhileScarce(context, pod, () => pods.act(pod.id, action))
      if (response.status !== 200) blocked(by, `${action} was answered ${response.status}`)
      const read = await pods.get(pod.id)
      const late = fieldsBehind(check(action).pod(response), before, check(action).pod(read))
      if (late.length > 0) behind.set(action, (behind.get(action) ?? 0) + 1)
      const isSure = context.stoodStill(response, read) || behind.get(action) === tries
      const observed = `${late.join(', ')} as before ${action}`
      check(action).that(late.length === 0 || !isSure, 'the pod as a read shows it right after', observed, response)
      if (action === 'restart') await clock.sleep(restartBeginsMs)
      const rest = await settle(pod.id, (seen) => seen === status)
      if (rest.pod === null || !rest.settled) return blocked(by, `after ${action} the pod is ${rest.status}`)
      pod = rest.pod
    }
    if (behind.size === 0) return
  }
})

/** Fields of a response that show the pod as it was before, although a read right after shows it otherwise. */
function fieldsBehind({ value: answer }: PodView, { value: before }: PodView, { value: read }: PodView): string[] {
  // Another status than before is one on the way.
  if (answer.status !== before.status) return []
  return judged.filter((name) => isAlike(name, answer, before) && !isAlike(name, before, read))
}

/** Live metrics differ between two reads; whether there are any does not. */
function isAlike(name: string, a: Members, b: Members): boolean {
  if (name === 'runtime') return (a.runtime === null) === (b.runtime === null)
  return !changedFields(a, b, new Set()).includes(name)
}
