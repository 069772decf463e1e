import { expect, test } from 'vitest'
import type { Context } from '../../rule/context.ts'
import { runOnRig } from '../../testing/rig.ts'
import { createPodTimes } from './pod-times.ts'

/** A pod that is RUNNING, and once more after a stop and a start. */
async function live({ fixture, pods, settle, settleStarted, check }: Context): Promise<void> {
  const { id, status } = await fixture.pod('RUNNING')
  check('running').that(status === 'RUNNING', 'RUNNING', status, null)
  await pods.act(id, 'stop')
  await settle(id, (seen) => seen === 'EXITED')
  await pods.act(id, 'start')
  const again = await settleStarted(id)
  check('again').that(again.status === 'RUNNING', 'RUNNING', again.status, again.response)
}

test('one pod of a run is read until it is RUNNING, the others once they may be', async () => {
  const { judgements, events, judged, replayed } = await runOnRig({
    a: { run: live },
    b: { run: live },
    c: { run: live, each: () => [1, 2] },
  })
  expect([...judgements.values()].map(({ verdict }) => verdict)).toEqual(['passed', 'passed', 'passed'])
  const reads = events.flatMap((event) =>
    event.type === 'exchange' && event.operation === 'getPod' ? [event.subject] : [],
  )
  const counts = [...Map.groupBy(reads, (pod) => pod).values()].map((all) => all.length).sort((x, y) => x - y)
  // RUNNING, EXITED, and RUNNING again.
  expect(counts.slice(0, 3)).toEqual([3, 3, 3])
  expect(counts.at(3)).toBeGreaterThan(6)
  expect(replayed).toEqual(judged)
})

test('a read that was delayed does not make others wait as long', () => {
  const { untilRunning, watch } = createPodTimes(500)
  let nowMs = 0
  const pod = watch('a', () => nowMs)
  for (const [atMs, status] of [
    [3_000, 'STARTING'],
    [60_000, 'RUNNING'],
  ] as const) {
    nowMs = atMs
    pod.look(status)
  }
  expect(untilRunning.created.ms()).toBe(3_000)
  untilRunning.created.came(4_000, 5_500)
  expect(untilRunning.created.ms()).toBe(5_500)
})

test('an owner that looks first does not wait; in a replay nobody does', async () => {
  const isOpen = (promise: Promise<void>) =>
    Promise.race([promise.then(() => false), new Promise<boolean>((open) => setImmediate(() => open(true)))])
  const { started } = createPodTimes(500).untilRunning
  expect(await isOpen(started.first())).toBe(false)
  expect(await isOpen(started.first())).toBe(true)
  started.came(0, 10)
  expect(await isOpen(started.first())).toBe(false)
  const replayed = createPodTimes(500, true).untilRunning.started
  expect([await isOpen(replayed.first()), await isOpen(replayed.first())]).toEqual([false, false])
})
