import { planeOf } from '../../harness/planes/pods/fixtures/pod-body.ts'
import { rule } from '../../harness/rule/registry.ts'
import { aPod } from '../../harness/variation/dimensions.ts'
import { draw } from '../fuzz/cases.ts'
import { takeSteps, walksOf } from '../walk/commands.ts'
import { startModel } from '../walk/model.ts'
import { podSteps } from '../walk/steps.ts'
import { createWalker } from '../walk/walker.ts'

/** Parts of the walk, each of so many steps. A sparing run takes one, on one pod. */
const parts = ['1', '2', '3', '4', '5', '6', '7'] as const
const steps = 3
const maxPods = 2
/** Steps that are drawn at once, of which those are taken that make sense. */
const drawnAtOnce = 40
/** The number of the first list of steps: with it the walk of seed 1, which the proof takes, has many kinds of steps. */
const firstList = 44

rule('pods.walk', { varies: [...aPod, 'part'] }, async (context) => {
  const { part, random, target, vary } = context
  const { length } = vary.parts(parts)
  const world = {
    maxPods: length === 1 ? 1 : maxPods,
    canChange: part('pods.change') && planeOf(target).change !== null,
    hasStranger: part('key.stranger'),
  }
  const seed = Math.floor(random() * 2 ** 31)
  const walks = walksOf(podSteps(world), drawnAtOnce)
  const model = startModel(length * steps)
  const walker = createWalker(context, { shapes: [{}] })
  const take = async () => {
    await walker.begin(0, model)
    for (let run = firstList; model.left > 0; run++) await takeSteps(draw(walks, seed, run).value, model, walker)
    await walker.end(model)
  }
  await take().finally(() => walker.unlock(model))
})
