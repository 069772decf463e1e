import { expect, test } from 'vitest'
import { queueLoadRules } from '../harness/rule/load-rules.ts'
import { referenceTarget } from '../proof/instance.ts'
import { estimateOf } from './caps.ts'
import { limitSteps, type Step } from './queue/steps.ts'
import { collide, usesOf } from './queue/uses.ts'
import { createRests } from './rests.ts'
import { batchesOf, createPlanTurns, inTurns } from './turns.ts'

const { queue } = referenceTarget('https://reference.test', 'real')
if (queue === null) throw new Error('the reference has no queue plane')
const lab = /\.(runsync|scales-with-workers|concurrent-(run|status|cancel|requests))$/
const scope = { queue, rules: new Set<string>(queueLoadRules.filter((rule) => !lab.test(rule))), windowScale: 1 }
const steps = limitSteps(scope)

function named(...names: readonly string[]): readonly Step[] {
  return steps.filter(({ name }) => names.includes(name))
}

function usesOfStep(name: string) {
  const step = steps.find((one) => one.name === name)
  if (step === undefined) throw new Error(`there is no step ${name}`)
  return usesOf(step.plan, true)
}

test.each<[why: string, one: string, other: string, isTogether: boolean]>([
  ['other limits', 'requests-over', 'purge-under', true],
  ['one limit', 'requests-over', 'requests-under', false],
  ['one limit, which one of them only uses a little', 'run-isolation', 'cancel-under', false],
  ['the limit of both keys', 'requests-keys', 'requests-under', false],
  ['a purge would end the jobs that are cancelled', 'purge-under', 'cancel-under', false],
  ['a purge would end the jobs that requests wait for', 'purge-under', 'runsync-concurrency', false],
  ['a purge does not end jobs that are over', 'purge-under', 'stream-under', true],
  ['jobs are submitted beforehand, at the rate of run', 'cancel-under', 'run-under', false],
  ['both submit jobs beforehand', 'cancel-under', 'status-under', false],
  ['jobs are read beforehand, at the rate of status', 'stream-under', 'status-under', false],
  ['workers are kept busy', 'runsync-concurrency', 'openai-under', false],
  ['other limits, with which many requests are sent', 'status-over', 'openai-over', true],
])('%s: %s beside %s', (_, one, other, isTogether) => {
  expect(collide(usesOfStep(one), usesOfStep(other))).toBe(!isTogether)
  expect(collide(usesOfStep(other), usesOfStep(one))).toBe(!isTogether)
})

test.each([
  ['twice as many as the fastest', ['status-over', 'openai-over'], 1],
  ['hardly more than the fastest', ['stream-over', 'requests-over', 'purge-under'], 3],
])('together they send %s', (_, names, count) => {
  expect([...createPlanTurns(named(...names), createRests(0)).begin(0)]).toHaveLength(count)
})

test('a limit is left alone for two windows from its last request on', () => {
  const turns = createPlanTurns(named('requests-over', 'requests-under'), createRests(0))
  const [over] = turns.begin(0)
  if (over === undefined) throw new Error('nothing began')
  expect(turns.prepared(over, 5000)).toBe(15_000)
  expect([...turns.begin(0)]).toEqual([])
  turns.end(over, 200_000)
  const [under] = turns.begin(0)
  expect(under && turns.prepared(under, 201_000)).toBe(19_000)
  expect([over, under].map((turn) => turn?.isBeside)).toEqual([false, false])
})

test('a rate counts until the last request is sent', () => {
  const turns = createPlanTurns(named('status-over', 'openai-over'), createRests(0))
  const [over] = turns.begin(0)
  if (over === undefined) throw new Error('nothing began')
  expect(turns.prepared(over, 0)).toBe(20_000)
  expect([...turns.begin(60_000)]).toEqual([])
  expect([...turns.begin(62_000)]).toHaveLength(1)
})

test.each([
  ['a limit that the plan before did not use', 'requests-over', 'purge-under', 0],
  ['a limit that the plan before used', 'requests-over', 'requests-under', 20_000],
  ['a limit that both use a little', 'status-isolation', 'run-isolation', 0],
  ['a limit that is used a little after the other used it up', 'run-isolation', 'status-isolation', 20_000],
  ['one even pace below a limit after another', 'cancel-isolation', 'requests-under', 0],
  ['a limit that is exceeded after a little use', 'cancel-isolation', 'requests-over', 20_000],
])('%s: %s, then %s', (_, one, other, restMs) => {
  const rests = createRests(0)
  for (const step of named(one)) rests.ended(step.plan, 100_000)
  expect(named(other).map((step) => rests.prepared(step.plan, 100_000))).toEqual([restMs])
})

test('each step is driven once, and one that fails ends no other', async () => {
  const driven: string[] = []
  const batch = named('requests-over', 'requests-under', 'purge-under')
  const settled = await inTurns(batch, createRests(0), async ({ step }, prepared) => {
    prepared()
    driven.push(step.name)
    if (step.name === 'requests-over') throw new Error('no response')
  })
  expect(driven.toSorted()).toEqual(['purge-under', 'requests-over', 'requests-under'])
  expect(settled.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'rejected'])
})

test('steps that are driven alone are batches of their own', () => {
  const [one, other] = named('requests-over', 'purge-under')
  if (one === undefined || other === undefined) throw new Error('there are no such steps')
  expect(batchesOf([one, other])).toEqual([[one, other]])
  const alone = { ...other, isAlone: true }
  expect(batchesOf([one, alone, other])).toEqual([[one], [alone], [other]])
})

test('the plans of a load take a third of their time', () => {
  const alone = steps.map((step) => ({ ...step, isAlone: true }))
  expect(estimateOf(steps).seconds).toBeLessThan(estimateOf(alone).seconds / 3)
})

test('a plan counts as longer by the time that its requests are held', () => {
  const [first] = createPlanTurns(named('status-over', 'runsync-concurrency'), createRests(0)).begin(0)
  expect(first?.step.name).toBe('runsync-concurrency')
})

test('jobs of busy workers are cancelled at the end of a plan that holds requests', () => {
  const turns = createPlanTurns(named('runsync-concurrency', 'cancel-under', 'cancel-released'), createRests(0))
  const next = (name: string, nowMs: number) => {
    const turn = [...turns.begin(0)].find(({ step }) => step.name === name)
    if (turn === undefined) throw new Error(`${name} did not begin`)
    return { turn, quietMs: () => turns.prepared(turn, nowMs) }
  }
  const held = next('runsync-concurrency', 0)
  held.quietMs()
  const released = next('cancel-released', 1000)
  released.quietMs()
  turns.end(released.turn, 70_000)
  const under = next('cancel-under', 91_000)
  turns.end(held.turn, 90_000)
  expect(under.quietMs()).toBe(19_000)
})
