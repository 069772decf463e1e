import { expect, it } from 'vitest'
import { createCrew } from './crew.ts'
import { everything, type Job } from './jobs.ts'
import { inParallel } from './pool.ts'

it('judges the same in threads as in one, in the order of the jobs', async () => {
  const catalog = everything()
  const rules = ['pods.action.exited.stop', 'pods.shape.env']
  const jobs = [
    { kind: 'reference', id: 'reference', rules, wanted: rules } as const,
    ...catalog.latitudes.slice(0, 45).map(({ id }): Job => ({ kind: 'latitude', id, rules, wanted: rules })),
  ]
  const done: string[] = []
  const threads = createCrew({})
  const inThreads = await threads.run(jobs, ({ id }) => done.push(id))
  const again = await threads.run(jobs.slice(0, 1))
  await threads.close()
  const inOne = await createCrew({ catalog }).run(jobs)
  expect(inThreads).toEqual(inOne)
  expect(again).toEqual(inOne.slice(0, 1))
  expect(done.toSorted()).toEqual(jobs.map(({ id }) => id).toSorted())
}, 120_000)

it('runs at most so many beside each other', async () => {
  let running = 0
  let most = 0
  const results = await inParallel([1, 2, 3, 4, 5], 2, async (item) => {
    most = Math.max(most, ++running)
    await Promise.resolve()
    running--
    return item * 10
  })
  expect(results).toEqual([10, 20, 30, 40, 50])
  expect(most).toBe(2)
})
